"""Statistics over blocks: published examples, other packages as oracles, invariances, hand-worked numbers."""

import doctest
from itertools import combinations, permutations, product

import numpy as np
import pytest
import scikit_posthocs
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from reckless.bench import statistics
from reckless.bench.statistics import (
    NemenyiTest,
    average_ranks,
    friedman,
    nemenyi,
    summarize,
    superiority,
    wilcoxon_holm,
)
from reckless.errors import InvalidArgument, OptimizationError

C45 = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
# Demsar (2006), Table 6, in thousandths, as losses. In row 13 the paper prints .975 twice but ranks the third
# method ahead of the fourth; the half restores that.
C45_LOSS = -np.array(
    [
        [763, 768, 771, 798],
        [599, 591, 590, 569],
        [954, 971, 968, 967],
        [628, 661, 654, 657],
        [882, 888, 886, 898],
        [936, 931, 916, 931],
        [661, 668, 609, 685],
        [583, 583, 563, 625],
        [775, 838, 866, 875],
        [1000, 1000, 1000, 1000],
        [940, 962, 965, 962],
        [619, 666, 614, 669],
        [972, 981, 975.5, 975],
        [957, 978, 946, 970],
    ]
)

quick = settings(max_examples=40, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def tables(draw, min_methods=2):
    """Small tables of small whole numbers, so that ties are common."""
    shape = draw(st.tuples(st.integers(2, 9), st.integers(min_methods, 6)))
    return draw(arrays(float, shape, elements=st.integers(-4, 4).map(float)))


def letters(k):
    return tuple("ABCDEFGHIJ"[:k])


def in_order(n_blocks, k):
    """Every block ranks the methods alike."""
    return np.arange(1.0, k + 1.0) * np.arange(1.0, n_blocks + 1.0)[:, None]


def distort_each_block(table):
    """A different increasing function in every row."""
    row = np.arange(1.0, len(table) + 1.0)[:, None]
    return np.exp(table / row) * row + 7.0 * row


# Average ranks.


def test_ranks_of_the_published_example_are_reproduced():
    assert average_ranks(C45_LOSS) == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)


def test_tied_methods_share_the_mean_of_their_places():
    assert average_ranks([[5.0, 5.0, 1.0, 9.0]]).tolist() == [2.5, 2.5, 1.0, 4.0]
    assert average_ranks([[5.0, 5.0, 5.0]]).tolist() == [2.0, 2.0, 2.0]


def test_infinite_scores_rank_last_and_tie_with_each_other():
    assert average_ranks([[np.inf, 2.0, np.inf, -np.inf]]).tolist() == [3.5, 2.0, 3.5, 1.0]


@quick
@given(tables())
def test_a_rank_is_one_plus_those_ahead_plus_half_of_those_level(table):
    ahead = (table[:, None, :] < table[:, :, None]).sum(axis=2)
    level = (table[:, None, :] == table[:, :, None]).sum(axis=2) - 1
    assert average_ranks(table) == pytest.approx((1 + ahead + level / 2).mean(axis=0))


@quick
@given(tables())
def test_a_clearly_best_newcomer_gets_rank_one_and_moves_the_others_down_by_one(table):
    grown = np.column_stack([table, table.min(axis=1) - 1.0])
    assert average_ranks(grown) == pytest.approx([*(average_ranks(table) + 1.0), 1.0])


# Friedman.


def test_friedman_reproduces_the_published_example_once_the_tie_correction_is_taken_out():
    test = friedman(C45_LOSS)
    # Ties: three pairs (2^3 - 2 = 6 each) and one row of four (4^3 - 4 = 60), out of N k (k^2 - 1) = 840.
    without_correction = test.statistic * (1 - (3 * 6 + 60) / 840)
    assert without_correction == pytest.approx(9.28, abs=0.005)
    assert 13 * without_correction / (14 * 3 - without_correction) == pytest.approx(3.69, abs=0.005)
    assert test.statistic == pytest.approx(10.23, abs=0.005)
    assert test.p_value == pytest.approx(stats.friedmanchisquare(*C45_LOSS.T).pvalue)


def test_friedman_on_three_hand_worked_blocks():
    # Rank sums 3, 7, 8 deviate from 6 by -3, 1, 2: W = 14 / 18.
    test = friedman([[1, 2, 3], [10, 20, 30], [1, 3, 2]])
    assert (test.n_blocks, test.n_methods) == (3, 3)
    assert test.kendall_w == pytest.approx(7 / 9)
    assert test.statistic == pytest.approx(14 / 3)
    assert test.p_value == pytest.approx(np.exp(-7 / 3))


@quick
@given(tables(min_methods=3))
def test_friedman_agrees_with_scipy(table):
    assume(any(len(set(row)) > 1 for row in table))  # SciPy divides by zero if every row is one big tie
    expected = stats.friedmanchisquare(*table.T)
    test = friedman(table)
    assert test.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert test.p_value == pytest.approx(expected.pvalue, rel=1e-8)


def test_friedman_of_nothing_but_ties_finds_nothing():
    test = friedman(np.full((5, 3), 2.5))
    assert (test.statistic, test.p_value) == (0.0, 1.0)
    assert test.kendall_w == 0.0


@pytest.mark.parametrize(("n_blocks", "k"), list(product([2, 3, 7, 30], [2, 3, 4, 9])))
def test_full_agreement_gives_the_smallest_attainable_p(n_blocks, k):
    test = friedman(in_order(n_blocks, k))
    assert test.kendall_w == 1.0
    assert test.p_value == test.smallest_p


@quick
@given(tables())
def test_no_table_gets_below_the_smallest_p(table):
    test = friedman(table)
    assert test.smallest_p <= test.p_value * (1 + 1e-12)
    assert 0.0 <= test.kendall_w <= 1.0


def test_two_blocks_and_four_methods_cannot_reach_five_percent():
    test = friedman(in_order(2, 4))
    assert test.smallest_p == pytest.approx(0.112, abs=5e-4)
    assert not test.can_reject(0.05)
    assert test.can_reject(0.12)


def test_six_blocks_and_four_methods_reach_four_in_ten_thousand_at_best():
    test = friedman(in_order(6, 4))
    assert test.smallest_p == pytest.approx(4.4e-4, abs=5e-6)
    assert test.can_reject()
    assert not test.can_reject(4e-4)


# Nemenyi.


@pytest.mark.parametrize(
    ("k", "n_blocks", "expected"),
    [(4, 6, 1.915), (5, 6, 2.490), (8, 6, 4.286), (4, 2, 3.317), (4, 14, 1.254)],
)
def test_critical_differences_at_five_percent_are_the_known_ones(k, n_blocks, expected):
    test = nemenyi(in_order(n_blocks, k), letters(k))
    assert test.critical_difference == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(
    ("alpha", "published"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_match_table_5a_of_demsar(alpha, published):
    for k, value in enumerate(published, start=2):
        unit = np.sqrt(k * (k + 1) / (6 * 3))
        test = nemenyi(in_order(3, k), letters(k), alpha)
        assert test.critical_difference / unit == pytest.approx(value, abs=1.1e-3)


def test_published_example_has_no_significant_pair_at_five_percent():
    test = nemenyi(C45_LOSS, C45)
    assert not test.significant.any()
    assert test.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert test.sentence("14 data sets") == (
        "With 14 blocks (14 data sets) and 4 methods, average ranks at least 1.254 apart differ "
        "significantly (alpha 0.05; largest possible rank difference 3). No pair does; that is no proof "
        "of equality."
    )


def test_published_example_splits_in_two_overlapping_groups_at_ten_percent():
    test = nemenyi(C45_LOSS, C45, alpha=0.10)
    assert test.critical_difference == pytest.approx(1.12, abs=0.005)
    assert test.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    assert test.sentence().endswith(" 2 of 6 pairs do: C4.5+m+cf ahead of C4.5; C4.5+m ahead of C4.5.")


def test_two_blocks_cannot_reject_and_the_sentence_says_so():
    test = nemenyi(in_order(2, 4), letters(4))
    assert test.largest_difference == 3
    assert not test.can_reject
    assert test.cliques == (("A", "B", "C", "D"),)
    assert test.sentence("2 problems") == (
        "With 2 blocks (2 problems) and 4 methods the critical difference 3.317 exceeds the largest "
        "possible rank difference 3: this test cannot reject, whatever the data."
    )


def test_six_blocks_can_tell_the_first_of_four_from_the_last():
    test = nemenyi(in_order(6, 4), letters(4))
    assert test.can_reject
    assert test.significant[0].tolist() == [False, False, True, True]
    assert test.cliques == (("A", "B"), ("B", "C"), ("C", "D"))
    assert "3 of 6 pairs do: A ahead of C, D; B ahead of D." in test.sentence()


def test_a_difference_equal_to_the_critical_one_is_significant():
    test = NemenyiTest(letters(4), 3, 0.05, np.array([1.0, 4.0, 2.0, 3.0]), 3.0, ())
    assert test.can_reject
    assert test.significant.sum() == 2
    assert test.significant[0, 1]


def test_methods_all_clearly_apart_form_no_clique():
    test = nemenyi(in_order(60, 3), letters(3))
    assert test.cliques == ()
    assert test.significant.sum() == 6


@quick
@given(tables(), st.sampled_from([0.05, 0.3, 0.6]))
def test_nemenyi_agrees_with_scikit_posthocs(table, alpha):
    p_values = scikit_posthocs.posthoc_nemenyi_friedman(table).to_numpy()
    assert (nemenyi(table, letters(table.shape[1]), alpha).significant == (p_values <= alpha)).all()


@quick
@given(tables(), st.sampled_from([0.05, 0.3, 0.6]))
def test_cliques_cover_exactly_the_pairs_that_do_not_differ_and_none_contains_another(table, alpha):
    names = letters(table.shape[1])
    test = nemenyi(table, names, alpha)
    covered = {frozenset(pair) for clique in test.cliques for pair in combinations(clique, 2)}
    pairs = list(combinations(range(len(names)), 2))
    assert covered == {frozenset((names[i], names[j])) for i, j in pairs if not test.significant[i, j]}
    assert all(not set(a) <= set(b) for a, b in permutations(test.cliques, 2))
    rank = dict(zip(names, test.ranks, strict=True))
    assert all(list(clique) == sorted(clique, key=rank.__getitem__) for clique in test.cliques)


@quick
@given(tables(), seeds)
def test_the_order_of_the_columns_does_not_matter(table, seed):
    names = letters(table.shape[1])
    order = np.random.default_rng(seed).permutation(len(names))
    moved, moved_names = table[:, order], [names[i] for i in order]
    assert friedman(moved) == friedman(table)
    before, after = nemenyi(table, names, 0.4), nemenyi(moved, moved_names, 0.4)
    assert after.ranks.tolist() == before.ranks[order].tolist()
    assert after.significant.tolist() == before.significant[np.ix_(order, order)].tolist()
    assert after.cliques == before.cliques
    assert after.sentence() == before.sentence()
    p_before = {frozenset((c.first, c.second)): c.p_adjusted for c in wilcoxon_holm(table, names)}
    p_after = {frozenset((c.first, c.second)): c.p_adjusted for c in wilcoxon_holm(moved, moved_names)}
    assert p_after == pytest.approx(p_before)


@quick
@given(tables())
def test_rank_tests_see_only_the_order_within_each_block(table):
    names, distorted = letters(table.shape[1]), distort_each_block(table)
    assert average_ranks(distorted).tolist() == average_ranks(table).tolist()
    assert friedman(distorted) == friedman(table)
    assert nemenyi(distorted, names).ranks.tolist() == nemenyi(table, names).ranks.tolist()


def test_arrays_of_a_result_are_read_only_and_the_input_stays_untouched():
    scores = np.array([[3.0, 1.0], [2.0, 5.0], [4.0, 4.0]])
    before = scores.copy()
    test = nemenyi(scores, ["A", "B"])
    wilcoxon_holm(scores, ["A", "B"])
    with pytest.raises(ValueError, match="read-only"):
        test.ranks[0] = 0.0
    assert scores.flags.writeable
    assert scores.tolist() == before.tolist()


# Wilcoxon with Holm.


def p_by_enumeration(differences):
    """Try all signs."""
    d = differences[differences != 0]
    ranks = stats.rankdata(np.abs(d))
    sums = np.array([ranks @ signs for signs in product([0, 1], repeat=d.size)])
    observed = ranks[d > 0].sum()
    return min(1.0, 2 * np.mean(sums <= observed), 2 * np.mean(sums >= observed))


def one_pair(differences, alpha=0.05):
    differences = np.asarray(differences, dtype=float)
    return wilcoxon_holm(np.column_stack([np.zeros_like(differences), differences]), ["A", "B"], alpha)[0]


def test_signed_ranks_of_the_published_pair_are_those_worked_by_hand():
    # Twelve nonzero differences; C4.5+m loses on two, whose ranks are 5 and 1.5 of 78.
    pair = wilcoxon_holm(C45_LOSS[:, [1, 0]], ["C4.5+m", "C4.5"])[0]
    assert pair.n_nonzero == 12
    assert pair.effect == pytest.approx((71.5 - 6.5) / 78)
    assert pair.p_value == pytest.approx(p_by_enumeration(C45_LOSS[:, 1] - C45_LOSS[:, 0]))
    assert pair.significant


@quick
@given(arrays(float, st.integers(2, 9), elements=st.integers(-4, 4).map(float)))
@example(np.array([1.0, -1.0]))
def test_p_is_exact_with_ties_and_zeros(differences):
    pair = one_pair(differences)
    assert pair.p_value == pytest.approx(p_by_enumeration(differences))
    assert pair.n_nonzero == np.count_nonzero(differences)
    assert pair.smallest_p_adjusted == min(1.0, 2.0 ** (1 - pair.n_nonzero))
    assert pair.p_value >= pair.smallest_p_adjusted


@pytest.mark.parametrize("n", [2, 6, 15, 50, 51, 200])
def test_p_without_ties_is_that_of_scipy(n):
    differences = np.random.default_rng(n).normal(0.2, 1.0, n)
    assert one_pair(differences).p_value == pytest.approx(stats.wilcoxon(differences).pvalue)


def test_many_tied_differences_get_the_normal_approximation_of_scipy():
    differences = np.random.default_rng(5).integers(-3, 5, 120).astype(float)
    expected = stats.wilcoxon(differences).pvalue
    pair = one_pair(differences)
    assert pair.p_value == pytest.approx(expected)
    assert pair.smallest_p_adjusted < expected


@pytest.mark.parametrize(("n_blocks", "seed"), [(5, 1), (9, 2), (14, 3), (40, 4)])
def test_all_pairs_agree_with_scikit_posthocs(n_blocks, seed):
    scores = np.random.default_rng(seed).normal([0.0, 0.3, 0.9, 1.0], 1.0, (n_blocks, 4))
    plain = scikit_posthocs.posthoc_wilcoxon(scores.T).to_numpy()
    adjusted = scikit_posthocs.posthoc_wilcoxon(scores.T, p_adjust="holm").to_numpy()
    pairs = wilcoxon_holm(scores, letters(4))
    upper = np.triu_indices(4, 1)
    assert [(c.first, c.second) for c in pairs] == list(combinations("ABCD", 2))
    assert [c.p_value for c in pairs] == pytest.approx(plain[upper])
    assert [c.p_adjusted for c in pairs] == pytest.approx(adjusted[upper])
    assert [c.significant for c in pairs] == [p <= 0.05 for p in adjusted[upper]]


def test_holm_multiplies_by_the_remaining_number_of_tests_and_never_decreases():
    # Seven blocks; A-B and A-C all one way (2/128), B-C with R- = 1 of 28 (4/128).
    scores = np.column_stack([np.zeros(7), [10, 20, 30, 40, 50, 60, 70], [9, 22, 33, 44, 55, 66, 77]])
    by_pair = {c.first + c.second: c for c in wilcoxon_holm(scores, letters(3))}
    assert [by_pair[key].p_value for key in ("AB", "AC", "BC")] == [2 / 128, 2 / 128, 4 / 128]
    assert [by_pair[key].p_adjusted for key in ("AB", "AC", "BC")] == [6 / 128, 6 / 128, 6 / 128]
    assert by_pair["BC"].effect == pytest.approx(26 / 28)
    assert all(c.significant for c in by_pair.values())


def test_six_blocks_and_four_methods_leave_holm_nothing_to_reject():
    for pair in wilcoxon_holm(in_order(6, 4), letters(4)):
        assert pair.p_value == 2**-5
        assert pair.p_adjusted == pair.smallest_p_adjusted == 6 * 2**-5
        assert not pair.significant
        assert not pair.can_reject


def test_a_p_equal_to_alpha_is_significant():
    pair = one_pair([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], alpha=2**-5)
    assert pair.p_adjusted == 2**-5
    assert pair.significant
    assert pair.can_reject


def test_eight_blocks_and_four_methods_leave_holm_something_to_reject():
    assert all(c.can_reject and c.significant for c in wilcoxon_holm(in_order(8, 4), letters(4)))


@quick
@given(tables())
def test_no_pair_gets_below_its_smallest_p(table):
    for pair in wilcoxon_holm(table, letters(table.shape[1])):
        assert pair.p_value <= pair.p_adjusted <= 1.0
        assert pair.smallest_p_adjusted <= pair.p_adjusted
        assert pair.can_reject or not pair.significant


@quick
@given(tables())
def test_the_effect_favors_the_smaller_method_and_turns_with_the_pair(table):
    forward = wilcoxon_holm(table[:, :2], ["A", "B"])[0]
    backward = wilcoxon_holm(table[:, 1::-1], ["B", "A"])[0]
    assert forward.effect == pytest.approx(-backward.effect)
    assert forward.p_value == pytest.approx(backward.p_value)
    assert one_pair([1.0, 2.0, 3.0]).effect == 1.0


def test_identical_methods_have_p_one_and_no_effect():
    pair = one_pair(np.zeros(7))
    assert (pair.n_nonzero, pair.p_value, pair.p_adjusted, pair.smallest_p_adjusted) == (0, 1.0, 1.0, 1.0)
    assert (pair.effect, pair.significant, pair.can_reject) == (0.0, False, False)


def test_failures_counted_as_infinite_tie_with_each_other_and_lose_to_the_rest():
    scores = [[1.0, np.inf], [np.inf, np.inf], [2.0, np.inf], [3.0, 4.0], [-1.7e308, 1.7e308]]
    pair = wilcoxon_holm(scores, ["A", "B"])[0]
    assert (pair.n_nonzero, pair.p_value, pair.effect) == (4, 0.125, 1.0)


# Two samples.


def test_superiority_of_hand_worked_samples():
    # Of nine pairs, six wins and two ties: (6 + 1) / 9.
    assert superiority([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]) == pytest.approx(7 / 9)
    assert superiority([1.0, 2.0], [3.0, np.inf, np.inf]) == 1.0
    assert superiority([4.0], [3.0, -2.0]) == 0.0
    assert superiority([4.0, 4.0], [4.0]) == 0.5


samples = arrays(float, st.integers(1, 12), elements=st.integers(-4, 4).map(float))


@quick
@given(samples, samples)
def test_superiority_counts_all_pairs_of_runs(first, second):
    signs = np.sign(second[None, :] - first[:, None])
    assert superiority(first, second) == pytest.approx(np.mean((signs + 1) / 2))
    assert superiority(second, first) == pytest.approx(1.0 - superiority(first, second))


def test_superiority_takes_samples_far_too_large_for_a_table_of_pairs():
    runs = np.arange(200_000.0)
    assert superiority(runs, runs + 100_000.0) == pytest.approx(0.875, abs=1e-5)


# Summary of runs.


def test_summary_of_hand_worked_runs():
    summary = summarize([7.0, 1.0, 2.0, 4.0, 11.0])
    assert (summary.n_runs, summary.median, summary.mean) == (5, 4.0, 5.0)
    assert (summary.lower_quartile, summary.upper_quartile) == (2.0, 7.0)
    assert summary.standard_deviation == pytest.approx(np.sqrt((4 + 16 + 9 + 1 + 36) / 4))


@quick
@given(samples)
def test_quartiles_are_those_of_numpy(runs):
    summary = summarize(runs)
    ours = [summary.lower_quartile, summary.median, summary.upper_quartile]
    assert ours == pytest.approx(np.quantile(runs, [0.25, 0.5, 0.75]))


def test_one_run_says_nothing_about_spread():
    summary = summarize([2.5])
    assert (summary.median, summary.mean, summary.lower_quartile, summary.upper_quartile) == (2.5,) * 4
    assert np.isnan(summary.standard_deviation)


def test_failed_runs_counted_as_infinite_leave_the_median_a_number():
    summary = summarize([1.0, 2.0, np.inf, 3.0, np.inf, np.inf, 4.0])
    assert (summary.median, summary.upper_quartile, summary.mean) == (4.0, np.inf, np.inf)
    assert summary.lower_quartile == 2.5
    assert np.isnan(summary.standard_deviation)
    mostly_failed = summarize([1.0, np.inf, np.inf, np.inf, np.inf])
    assert (mostly_failed.median, mostly_failed.lower_quartile) == (np.inf, np.inf)


# Bad input.


def test_a_missing_score_is_refused_by_block_and_method():
    scores = in_order(3, 3)
    scores[2, 1] = np.nan
    for test in (nemenyi, wilcoxon_holm):
        with pytest.raises(InvalidArgument, match=r"block 2 .*method 'mmde'"):
            test(scores, ["reckless", "mmde", "coevolution"])
    for rank_test in (average_ranks, friedman):
        with pytest.raises(InvalidArgument, match=r"block 2 .*column 1"):
            rank_test(scores)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_ranks([1.0, 2.0]), r"scores: .*shape \(2,\)"),
        (lambda: average_ranks([[1.0, 2.0], [3.0]]), "scores: .*NumPy says"),
        (lambda: average_ranks([["a", "b"]]), "scores: .*NumPy says"),
        (lambda: average_ranks(np.empty((0, 3))), r"scores: .*shape \(0, 3\)"),
        (lambda: average_ranks([[1.0], [2.0]]), "2 methods"),
        (lambda: friedman([[1.0, 2.0]]), "2 blocks"),
        (lambda: nemenyi(in_order(3, 2), ["A", "B", "C"]), "names: .*transposed"),
        (lambda: wilcoxon_holm(in_order(3, 2), ["A", "A"]), "names: .*twice"),
        (lambda: nemenyi(in_order(3, 2), ["A", "B"], alpha=5), "alpha: .*percent"),
        (lambda: wilcoxon_holm(in_order(3, 2), ["A", "B"], alpha=0.0), "alpha"),
        (lambda: friedman(in_order(3, 2)).can_reject(float("nan")), "alpha"),
        (lambda: summarize([]), "runs: .*at least one"),
        (lambda: summarize([1.0, np.nan]), "runs: .*run 1"),
        (lambda: superiority([1.0], [[2.0]]), "second: "),
        (lambda: superiority([np.nan], [2.0]), "first: .*run 0"),
    ],
)
def test_bad_input_is_refused_with_a_sentence_that_names_it(call, message):
    with pytest.raises(InvalidArgument, match=message) as refusal:
        call()
    assert isinstance(refusal.value, OptimizationError)
    assert isinstance(refusal.value, ValueError)


def test_the_examples_in_the_docstrings_hold():
    outcomes = [doctest.testmod(module) for module in (statistics.pairs, statistics.ranks, statistics.samples)]
    assert sum(outcome.attempted for outcome in outcomes) >= 9
    assert not any(outcome.failed for outcome in outcomes)
