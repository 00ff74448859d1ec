"""The ledger: every pair with its value, and what it knows about an x."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckless.core.outcome import Cause
from reckless.evaluation.known import better_than, known_at, mean_at, noise_of
from reckless.evaluation.ledger import FIRST_ROOM, Ledger


def is_worst(cause):
    return cause is not Cause.UNKNOWN


def ledger_of(rows):
    """A ledger of (x, y, value); a cause in place of a value is a failure."""
    ledger = Ledger(1, 1)
    for x, y, value in rows:
        row = ledger.open(np.array([[x]]), np.array([[y]]))
        if isinstance(value, Cause):
            ledger.settle(np.array([row]), np.array([np.nan]))
            ledger.causes[row] = value
        else:
            ledger.close(row, np.array([value]))
    return ledger


def known(rows, x=1.0):
    return known_at(ledger_of(rows), np.array([x]), is_worst)


PAIRS = st.lists(
    st.tuples(
        st.sampled_from([1.0, 2.0, -0.0, 0.0]),
        st.sampled_from([3.0, 4.0, 5.0]),
        st.sampled_from([-7.5, 0.25, 3.0, 900.0]),
    ),
    min_size=1,
)


@given(rows=PAIRS)
def test_what_is_known_at_an_x_is_what_a_plain_loop_finds(rows):
    for x in {row[0] for row in rows}:
        here = [row for row in rows if row[0] == x]
        found = known(rows, x)
        assert found.highest == max(value for _, _, value in here)
        assert found.lowest == min(value for _, _, value in here)
        assert (x, found.y.item(), found.highest) in here
        assert (found.n_tried, found.n_evaluations) == (len({y for _, y, _ in here}), len(here))


@given(rows=PAIRS)
def test_noise_is_two_values_of_one_pair_however_often_one_looks(rows):
    values = {}
    for x, y, value in rows:
        values.setdefault((x, y), set()).add(value)
    assert ledger_of(rows).is_noisy == any(len(found) > 1 for found in values.values())
    ledger, seen = ledger_of([]), []
    for x, y, value in rows:
        row = ledger.open(np.array([[x]]), np.array([[y]]))
        assert ledger.is_noisy in (True, False)  # looked at while a row is open
        ledger.close(row, np.array([value]))
        seen.append((x, y, value))
        assert ledger.is_noisy == ledger_of(seen).is_noisy


def test_rounding_errors_and_infinite_values_are_not_noise_but_what_is_larger_is():
    assert not ledger_of([(1.0, 3.0, 12.0), (1.0, 3.0, 12.0 + 2e-15), (2.0, 3.0, 9.0)]).is_noisy
    assert not ledger_of([(1.0, 3.0, 1e-14), (1.0, 3.0, 0.0), (2.0, 3.0, 9.0), (2.0, 4.0, 9.0)]).is_noisy
    assert not ledger_of([(1.0, 3.0, np.inf), (1.0, 3.0, np.inf)]).is_noisy
    assert ledger_of([(1.0, 3.0, 12.0), (1.0, 3.0, 12.0 + 1e-9), (2.0, 3.0, 9.0)]).is_noisy
    assert ledger_of([(1.0, 3.0, np.inf), (1.0, 3.0, 1.0)]).is_noisy


def test_rows_keep_their_place_and_those_without_a_value_were_never_evaluated():
    ledger = Ledger(1, 1)
    first = ledger.open(np.ones((3, 1)), np.array([[4.0], [5.0], [6.0]]))
    ledger.settle(np.array([2, 0]) + first, np.array([60.0, 40.0]))
    found = known_at(ledger, np.ones(1), is_worst)
    assert (found.n_tried, found.highest, found.y.item()) == (2, 60.0, 6.0)
    ledger.close(first, np.array([40.0, 50.0]))  # a series that ended early
    assert ledger.n_rows == 2


def test_there_is_room_for_any_number_of_rows():
    ledger, n = Ledger(2, 1), FIRST_ROOM + 1
    for _ in range(3):
        ledger.close(ledger.open(np.ones((n, 2)), np.arange(n)[:, None]), np.arange(float(n)))
    found = known_at(ledger, np.ones(2), is_worst)
    assert (found.n_tried, found.n_evaluations, found.highest) == (n, 3 * n, n - 1.0)
    assert not ledger.is_noisy


def test_what_f_writes_into_its_rows_is_not_in_the_ledger():
    X, Y = np.ones((2, 1)), np.ones((2, 1))
    ledger = Ledger(1, 1)
    row = ledger.open(X, Y)
    X[:] = Y[:] = 7.0
    ledger.close(row, np.array([1.0, 2.0]))
    assert ledger.X.tolist() == ledger.Y.tolist() == [[1.0], [1.0]]


def test_a_failure_is_the_worst_case_of_its_x_or_unknown():
    worst = known([(1.0, 3.0, 7.0), (1.0, 4.0, Cause.NAN)])
    assert (worst.highest, worst.y.item(), worst.is_fatal, worst.n_failed) == (np.inf, 4.0, True, 1)
    unknown = known([(1.0, 3.0, 7.0), (1.0, 4.0, Cause.UNKNOWN)])
    assert (unknown.highest, unknown.y.item(), unknown.is_fatal, unknown.n_failed) == (7.0, 3.0, False, 1)
    assert unknown.failed_y.item() == 4.0


def test_a_retry_that_works_mends_a_failure():
    ledger = ledger_of([(1.0, 3.0, Cause.ERROR)])
    ledger.settle(np.array([0]), np.array([5.0]))
    assert (ledger.causes, ledger.n_mended) == ({}, 1)
    assert known_at(ledger, np.ones(1), is_worst).highest == 5.0


ATTACKED = [(1.0, y, value) for y, value in [(3.0, 5.0), (4.0, 9.0), (5.0, 2.0)]]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([(2.0, 3.0, 1.0), (2.0, 4.0, 1.0)], None),  # hardly attacked
        ([(2.0, 3.0, 1.0), (2.0, 4.0, 1.0), (2.0, 4.0, 1.0)], None),  # twice the same y
        ([(2.0, 3.0, 1.0), (2.0, 4.0, 6.0), (2.0, 5.0, 3.0)], 2.0),
        ([(2.0, 3.0, 1.0), (2.0, 4.0, 9.5), (2.0, 5.0, 3.0)], None),  # worse
        ([(x, y, x) for x in (6.0, 2.0, 7.0) for y in (3.0, 4.0, 5.0)], 2.0),  # the lowest of several
        ([(2.0, 3.0, Cause.NAN), (2.0, 4.0, 1.0), (2.0, 5.0, 3.0)], None),  # it fails
    ],
)
def test_another_x_is_better_if_it_is_lower_and_was_tried_on_as_many_different_y(others, expected):
    ledger = ledger_of(ATTACKED + others)
    found = better_than(ledger, known_at(ledger, np.ones(1), is_worst), 4, is_worst)
    assert (None if found is None else found.item()) == expected


def test_an_x_that_fails_gives_way_to_one_tried_so_often_that_failures_would_show():
    fails = [(1.0, float(y), Cause.NAN if y % 2 else 1.0) for y in range(40)]  # every other y
    tried = [(2.0, float(y), 5.0) for y in range(8)]  # half of them would have failed
    hardly = [(3.0, float(y), 0.0) for y in range(2)]
    ledger = ledger_of(fails + hardly)
    assert better_than(ledger, known_at(ledger, np.ones(1), is_worst), 4, is_worst) is None
    ledger = ledger_of(fails + tried + hardly)
    assert better_than(ledger, known_at(ledger, np.ones(1), is_worst), 4, is_worst).item() == 2.0


def test_means_and_noise_are_those_of_repeated_pairs():
    ledger = ledger_of([(1.0, 3.0, 4.0), (1.0, 3.0, 6.0), (1.0, 4.0, 50.0), (2.0, 3.0, 8.0), (2.0, 3.0, 8.0)])
    assert mean_at(ledger, np.ones(1), np.array([3.0])) == (5.0, 2)
    assert np.isnan(mean_at(ledger, np.ones(1), np.array([9.0]))[0])
    assert noise_of(ledger) == pytest.approx(1.0)  # squares 1, 1, 0, 0 over two degrees of freedom
    assert noise_of(ledger_of(ATTACKED)) == 0.0
