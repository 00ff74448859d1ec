"""What a run says is what it knows: fun, success, agreement and message against everything that f answered."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckless import Agreement, Scenarios, Solver, Status, minimax
from reckless.bench.problems import problem
from support import X_BOUNDS, Y_BOUNDS, Interrupted, Recorder, tilted_bowl

METHODS = [
    "danskin",
    "mmde",
    "reckless",
    "reckless-anr",
    "coevolution-parallel",
    "coevolution-alternating",
    "random-search",
]
NOT_VERIFIED = "Not verified: no independent search was made; verify=True makes them."


def highest_at(calls, x):
    return max(calls.f(z, y) for z, y in calls.pairs if np.array_equal(z, x))


def stop_after(n):
    def callback(intermediate_result):
        rounds.append(intermediate_result)
        if len(rounds) == n:
            raise StopIteration

    rounds = []
    return callback


ENDS = {
    "budget": {},
    "callback": {"callback": 2},
    "target": {"target": 0.3},
    "verification": {"verify": 100},
    "journal": {"checkpoint": "run.journal"},
    "workers": {"workers": map},
}


@pytest.mark.filterwarnings("ignore::reckless.WorkersWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("maxfev", [7, 75, 300, 1000])
def test_fun_is_the_highest_value_that_was_received_at_x(method, end, maxfev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = dict(ENDS[end])
    if "callback" in options:
        options["callback"] = stop_after(options["callback"])
    calls = Recorder(tilted_bowl)
    result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=maxfev, method=method, rng=3, **options)
    assert result.fun == highest_at(calls, result.x) == tilted_bowl(result.x, result.y)


def test_fun_is_the_highest_value_that_the_surrogate_received_at_x():
    calls = Recorder(lambda x, y: tilted_bowl(x, y) + np.sin(5.0 * y[0]))  # not known to the last digit after 40
    result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=40, method="surrogate", rng=3)
    assert result.fun == highest_at(calls, result.x) == calls.f(result.x, result.y)


@given(at=st.integers(2, 400), method=st.sampled_from(METHODS), seed=st.integers(0, 99))
def test_fun_is_the_highest_value_after_an_interruption_too(at, method, seed):
    calls = Interrupted(tilted_bowl, at=at)
    result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=400, method=method, rng=seed)
    calls.pairs = calls.pairs[: at - 1]  # that of the interruption gave nothing
    if result.history:
        assert result.fun == highest_at(calls, result.x)


@pytest.mark.parametrize("method", METHODS)
def test_fun_is_the_highest_value_for_ask_and_tell_at_any_moment(method):
    calls, solver = Recorder(tilted_bowl), Solver(method, X_BOUNDS, Y_BOUNDS, maxfev=300, rng=5)
    while not solver.done:
        solver.tell([calls(x, y) for x, y in zip(*solver.ask(), strict=True)])
        result = solver.result()
        assert not result.history or result.fun == highest_at(calls, result.x)


@pytest.mark.parametrize("name", ["L2", "L4", "absorber", "vertices:n=6"])
@pytest.mark.parametrize("seed", [600, 601])
def test_fun_is_the_highest_value_on_the_suites(name, seed):
    """Danskin at 75 evaluations: fun was below a value received at x in most runs."""
    found = problem(name)
    calls = Recorder(lambda x, y: float(found.function(x[None], y[None])[0]))
    result = minimax(calls, found.x_bounds, found.y_bounds, maxfev=75, method="danskin", rng=seed)
    assert result.fun == highest_at(calls, result.x)


class Scripted:
    """Ask for pairs of the unit cubes one after the other, then recommend one of them with the value received."""

    def __init__(self, pairs, recommended, agreement=None, settled=None):
        self.pairs, self.recommended, self.agreement, self.settled = pairs, recommended, agreement, settled

    def search(self, task):
        values = yield tuple(np.array(part)[:, None] for part in zip(*self.pairs, strict=True))
        x, y = (np.array([part]) for part in self.pairs[self.recommended])
        task.agreement, task.settled = self.agreement, self.settled
        task.recommend(x, y, values[self.recommended])


def run(values, recommended, agreement=None, settled=None, y_bounds=((0, 1),), **options):
    """Run a script of {(x, y): value} on the unit cubes."""
    method = Scripted(list(values), recommended, agreement, settled)
    return minimax(
        lambda x, y: values[x.item(), y.item()], [(0, 1)], list(y_bounds), maxfev=len(values), method=method, **options
    )


def test_a_value_that_the_method_did_not_believe_clears_its_agreement():
    result = run({(0.5, 0.2): 1.0, (0.5, 0.8): 3.0}, 0, Agreement(2, 2), settled=True)
    assert (result.fun, result.y.item(), result.agreement, result.success) == (3.0, 0.8, None, False)
    assert result.settled is False
    believed = run({(0.5, 0.2): 1.0, (0.5, 0.8): 3.0}, 1, Agreement(2, 2), settled=True)
    assert (believed.agreement, str(believed.agreement), believed.success) == ((2, 2), "2 of 2", True)
    assert (believed.settled, believed.refuted) == (True, False)


def test_another_x_is_returned_if_the_recommended_one_turns_out_worse_on_as_many_y():
    values = {(0.5, 0.2): 1.0, (0.5, 0.8): 3.0, (0.7, 0.2): 2.0, (0.7, 0.8): 1.5, (0.9, 0.2): -5.0}
    result = run(values, 0)
    assert (result.x.item(), result.y.item(), result.fun) == (0.7, 0.2, 2.0)
    assert run(values, 1).x.item() == 0.5  # the method knew, and has its reasons
    assert result.history[-1].x.item() == 0.5


@pytest.mark.parametrize(
    ("agreement", "success", "words"),
    [
        (None, True, NOT_VERIFIED),
        (Agreement(0, 0), False, "No independent search for a worse y was completed at this x."),
        (Agreement(0, 2), False, "0 of 2 independent searches for a worse y arrived at this one."),
        (Agreement(1, 1), False, "1 of 1 independent searches for a worse y arrived at this one."),
        (Agreement(2, 5), False, "2 of 5 independent searches for a worse y arrived at this one."),
        (Agreement(2, 4), True, "2 of 4 independent searches for a worse y arrived at this one."),
    ],
)
def test_a_method_that_verifies_by_itself_succeeds_if_two_searches_and_half_of_them_agree(agreement, success, words):
    result = run({(0.5, 0.2): 1.0}, 0, agreement, settled=True)
    assert result.success is success
    assert result.message == f"The evaluation budget (maxfev) is spent. {words}"
    assert result.agreement == (agreement if agreement and agreement.n_searches else None)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_value_is_no_success(value):
    result = run({(0.5, 0.2): value}, 0, Agreement(1, 1))
    assert (result.fun, result.success) == (value, False)
    assert result.message.startswith(f"f is {value} at this x. ")


def test_two_values_of_one_pair_make_fun_a_mean():
    answers = iter([1.0, 3.0, 9.0])
    method = Scripted([(0.5, 0.2), (0.5, 0.2), (0.5, 0.8)], 0)
    result = minimax(lambda x, y: next(answers), [(0, 1)], [(0, 1)], maxfev=3, method=method)
    assert result.message.endswith("Evaluations are noisy: fun is a mean of 1.")
    assert (result.y.item(), result.fun) == (0.8, 9.0)  # far above what noise explains
    answers = iter([1.0, 3.0, 3.1])
    result = minimax(lambda x, y: next(answers), [(0, 1)], [(0, 1)], maxfev=3, method=method)
    assert (result.y.item(), result.fun) == (0.2, 2.0)
    assert result.message.endswith("Evaluations are noisy: fun is a mean of 2.")


class Modeled(Scripted):
    """A script that says of its recommendation what a model says: a bound, or a mean with its standard error."""

    def __init__(self, pairs, recommended, upper=None, standard_error=None, mean=None):
        super().__init__(pairs, recommended)
        self.upper, self.standard_error, self.mean = upper, standard_error, mean

    def search(self, task):
        yield from super().search(task)
        task.upper, task.standard_error = self.upper, self.standard_error
        if self.mean is not None:
            task.recommend(task.recommendation.x, task.recommendation.y, self.mean)


LIKELY = "Likely below 3.25: the model's mean plus three standard deviations, after attacks it predicted."


def modeled(values, recommended, upper, **options):
    """Run a script of {(x, y): value} on the unit cubes whose method says `upper` of what it recommends."""
    options = {"maxfev": len(values), **options}
    f = lambda x, y: values.get((x.item(), y.item()), 2.0)  # noqa: E731
    return minimax(f, [(0, 1)], [(0, 1)], method=Modeled(list(values), recommended, upper), **options)


def test_a_bound_that_nothing_contradicts_is_said():
    result = modeled({(0.5, 0.2): 1.0, (0.5, 0.8): 3.0}, 1, 3.25)
    assert (result.fun, result.upper) == (3.0, 3.25)
    assert result.message.endswith(LIKELY)
    assert "guarantee" not in result.message
    assert result.report().splitlines()[3] == "likely below: 3.25"
    assert result.to_dict()["upper"] == 3.25


def test_without_a_bound_nothing_is_said_of_one():
    result = modeled({(0.5, 0.2): 1.0, (0.5, 0.8): 3.0}, 1, None)
    assert (result.upper, result.to_dict()["upper"]) == (None, None)
    assert "ikely" not in result.report()


def test_a_bound_is_never_below_the_value_known_at_x():
    result = modeled({(0.5, 0.2): 1.0, (0.5, 0.8): 3.0}, 1, 3.0 - 1e-7)  # below by less than rounding
    assert result.upper == result.fun == 3.0


@pytest.mark.parametrize(
    ("values", "upper"),
    [
        ({(0.5, 0.2): 1.0, (0.5, 0.8): 3.0}, 2.5),  # a value known at x is above it
        ({(0.5, 0.8): 5.0, (0.5, 0.2): 3.0}, 9.0),  # the method does not know the worst value at its x
        ({(0.5, 0.8): np.nan, (0.5, 0.2): 3.0}, 9.0),  # f fails at x
        ({(0.5, 0.2): 1.0, (0.5, 0.8): -np.inf}, 9.0),
        ({(0.5, 0.2): 1.0, (0.5, 0.8): 3.0}, np.inf),
        ({(0.5, 0.2): 1.0, (0.5, 0.8): 3.0}, np.nan),
    ],
)
def test_a_bound_that_is_contradicted_is_not_said(values, upper):
    result = modeled(values, 1, upper)
    assert result.upper is None
    assert "ikely" not in result.report()


def test_a_failure_that_is_ignored_leaves_the_worst_case_unknown_and_so_the_bound():
    result = modeled({(0.5, 0.8): np.nan, (0.5, 0.2): 3.0}, 1, 9.0, nan_policy="ignore")
    assert (result.fun, result.upper) == (3.0, None)


def test_a_bound_of_the_recommended_x_says_nothing_of_another():
    values = {(0.5, 0.2): 1.0, (0.5, 0.8): 3.0, (0.7, 0.2): 2.0, (0.7, 0.8): 1.5}
    result = modeled(values, 0, 9.0)
    assert (result.x.item(), result.fun, result.upper) == (0.7, 2.0, None)


def test_a_verification_clears_a_bound_only_if_it_refutes_the_answer():
    stands = modeled({(0.5, 0.2): 3.0}, 0, 3.25, verify=60, rng=1)
    assert (stands.refuted, stands.fun, stands.upper) == (False, 3.0, 3.25)
    refuted = modeled({(0.5, 0.2): 1.0}, 0, 3.25, verify=60, rng=1)  # 2.0 everywhere else
    assert (refuted.refuted, refuted.fun, refuted.upper) == (True, 2.0, None)


def test_a_list_tried_in_full_needs_no_likelihood():
    method = Modeled([(0.5, 0.25), (0.5, 0.75)], 1, upper=0.4)
    f = lambda x, y: (x[0] - y[0]) ** 2  # noqa: E731
    result = minimax(f, [(0, 1)], Scenarios(np.array([[0.4], [0.9]])), maxfev=5, method=method)
    assert "this is the exact worst case of this x." in result.message
    assert "ikely" not in result.message


def test_of_noisy_values_fun_is_the_mean_of_the_model_that_the_method_has():
    pairs = [(0.5, 0.2), (0.5, 0.2), (0.5, 0.8)]
    answers = iter([1.0, 3.0, 3.1])
    method = Modeled(pairs, 0, upper=2.5, standard_error=0.0123, mean=2.25)
    result = minimax(lambda x, y: next(answers), [(0, 1)], [(0, 1)], maxfev=3, method=method)
    assert (result.y.item(), result.fun) == (0.2, 2.25)
    assert result.upper == 2.5  # values above it are explained by noise
    assert result.message.endswith("Evaluations are noisy: fun is the model's mean, with a standard error of 0.012.")
    answers = iter([1.0, 3.0, 29.0])  # one value says little about a mean, but the bound is contradicted
    result = minimax(lambda x, y: next(answers), [(0, 1)], [(0, 1)], maxfev=3, method=method)
    assert (result.y.item(), result.fun, result.upper) == (0.2, 2.25, None)
    answers = iter([1.0, 3.0, np.nan])
    result = minimax(lambda x, y: next(answers), [(0, 1)], [(0, 1)], maxfev=3, method=method)
    assert (result.y.item(), result.fun, result.upper) == (0.8, np.inf, None)


def test_without_noise_a_standard_error_changes_nothing():
    method = Modeled([(0.5, 0.2), (0.5, 0.8)], 1, standard_error=0.01, mean=2.9999999)
    result = minimax(lambda x, y: 3.0 if y[0] > 0.5 else 1.0, [(0, 1)], [(0, 1)], maxfev=2, method=method)
    assert result.fun == 3.0
    assert "noisy" not in result.message


def test_a_task_has_the_sets_of_both_players():
    class Curious:
        def search(self, task):
            seen.append((task.x_domain.n_out, task.y_domain.n_scenarios, task.starts))
            yield np.full(task.n_x, 0.5), np.full((1, task.n_y), 0.5)

    seen = []
    minimax(lambda x, y: 0.0, [(1, 4), (2, 9)], Scenarios(np.ones((3, 2))), maxfev=1, method=Curious())
    assert seen == [(2, 3, None)]


def test_rounded_values_are_not_noise():
    result = minimax(lambda x, y: round(tilted_bowl(x, y), 1), X_BOUNDS, Y_BOUNDS, maxfev=600, rng=601)
    assert "noisy" not in result.message
    assert result.fun == round(tilted_bowl(result.x, result.y), 1)


def test_the_message_says_how_much_of_a_list_was_tried():
    points = np.linspace(0.05, 0.95, 10)[:, None]
    some = run({(0.5, 0.05): 1.0, (0.5, 0.15): 2.0}, 1, y_bounds=[(0, 1)])
    assert "scenarios" not in some.message
    f = lambda x, y: (x[0] - y[0]) ** 2  # noqa: E731
    method = Scripted([(0.5, 0.05), (0.5, 0.15)], 0)
    some = minimax(f, [(0, 1)], Scenarios(points), maxfev=5, method=method)
    assert "2 of 10 scenarios were tried: among the others there may be a worse one." in some.message
    assert some.agreement is None
    method = Scripted([(0.5, k / 10 + 0.05) for k in range(10)], 0, Agreement(0, 0))
    every = minimax(f, [(0, 1)], Scenarios(points), maxfev=20, method=method)
    assert "All 10 scenarios were tried: this is the exact worst case of this x." in every.message
    assert (every.agreement, every.success) == ((1, 1), True)
    twice = minimax(f, [(0, 1)], Scenarios(np.repeat(points[:5], 2, axis=0)), maxfev=20, method=method)
    assert twice.agreement == (1, 1)  # a list may have an entry twice


def test_auto_says_how_much_of_a_long_list_it_tried_and_makes_no_success_of_a_part():
    points = Scenarios(np.random.default_rng(1).random((1000, 2)))
    result = minimax(lambda x, y: float(np.sum((x - y) ** 2)), [(0, 1)] * 2, points, maxfev=1000, rng=1)
    assert re.search(r"\d\d\d of 1,000 scenarios were tried", result.message)
    assert not result.success


def test_failures_at_x_are_counted_and_said_under_every_policy():
    def f(x, y):
        return np.nan if y[0] > 0.5 else 1.0

    pairs = [(0.5, 0.2), (0.5, 0.8), (0.5, 0.9)]
    worst = minimax(f, [(0, 1)], [(0, 1)], maxfev=3, method=Scripted(pairs, 0, Agreement(2, 2)))
    assert (worst.fun, worst.y.item(), worst.success) == (np.inf, 0.8, False)
    said = "2 of 3 attacks on this x failed, the first at y = (0.8). "
    assert worst.message.startswith(f"{said}Its worst case is to fail. ")
    ignored = minimax(f, [(0, 1)], [(0, 1)], maxfev=3, method=Scripted(pairs, 0, Agreement(2, 2)), nan_policy="ignore")
    assert (ignored.fun, ignored.success) == (1.0, True)
    assert ignored.message.startswith(f"{said}Its worst case there is unknown. ")


def test_an_x_that_fails_is_returned_only_if_every_x_attacked_as_well_fails():
    pairs = [(0.5, 0.2), (0.5, 0.8), (0.7, 0.2), (0.7, 0.3)]
    only = minimax(lambda x, y: np.nan if y[0] > 0.5 else 1.0, [(0, 1)], [(0, 1)], maxfev=9, method=Scripted(pairs, 0))
    assert (only.x.item(), only.fun, only.success) == (0.7, 1.0, True)
    every = minimax(
        lambda x, y: np.nan if y[0] > 0.25 else 1.0, [(0, 1)], [(0, 1)], maxfev=9, method=Scripted(pairs, 0)
    )
    assert (every.x.item(), every.fun, every.success) == (0.5, np.inf, False)


def test_a_target_is_not_reached_at_an_x_where_a_higher_value_is_known():
    """The method believes 1.0 at an x where the run met 3.0."""

    class Forgetful:
        def search(self, task):
            x = np.array([0.5])
            values = yield x, np.array([[0.2], [0.8]])
            task.recommend(x, np.array([0.2]), values[0])
            yield x, np.array([0.2])

    f = lambda x, y: 3.0 if y[0] == 0.8 else 1.0  # noqa: E731
    result = minimax(f, [(0, 1)], [(0, 1)], maxfev=3, method=Forgetful(), target=2.0)
    assert result.status != Status.TARGET_REACHED.code
    assert result.fun == 3.0
