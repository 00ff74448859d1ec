"""`tol`: a run stops when it is done; and the default of `maxfev`, which grows with the dimensions."""

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import reckless
from reckless import InvalidArgument, Scenarios, Solver, minimax
from reckless.domains.reading import read_domain
from reckless.errors import Status
from reckless.methods.danskin import method
from reckless.methods.danskin.peak import Peak
from reckless.run.allowance import default_maxfev

X_BOUNDS, Y_BOUNDS = [(1.0, 4.0), (-7.0, -2.0)], [(2.0, 9.0)]
LIST = Scenarios(np.linspace(2.0, 9.0, 15)[:, None])


def bowl(x, y):
    """One minimum: x = (2.5, -4.5), with y = 2 and y = 9 equally bad."""
    return (x[0] - 2.5) ** 2 + (x[1] + 4.5) ** 2 * y[0] / 5.0 + (y[0] - 5.5 + 0.3 * (x[0] - 2.5)) ** 2


def hills(x, y):
    """Many minima in x."""
    return bowl(x, y) + 4.0 * (np.sin(9.0 * (x[0] - 2.5)) ** 2 + np.sin(6.0 * (x[1] + 4.5)) ** 2)


class Recorder:
    """A function that keeps the pairs it was asked for."""

    def __init__(self, f):
        self.f, self.pairs = f, []

    def __call__(self, x, y):
        self.pairs.append((*x, *y))
        return self.f(x, y)


CASES = {
    "auto": ("auto", Y_BOUNDS),
    "auto on a list": ("auto", LIST),
    "danskin": ("danskin", Y_BOUNDS),
    "finite": ("finite", LIST),
    "surrogate": ("surrogate", Y_BOUNDS),
}


@pytest.mark.parametrize(("method", "y_bounds"), CASES.values(), ids=CASES)
def test_a_run_stops_when_it_is_done_and_says_on_what_that_rests(method, y_bounds):
    result = minimax(bowl, X_BOUNDS, y_bounds, maxfev=3_000, method=method, rng=7, tol=1e-4)
    assert result.nfev < 1_000
    assert result.success
    assert result.status == Status.PLAN_COMPLETE.code
    assert result.message.startswith(f"Converged at evaluation {result.nfev:,}: ")
    assert result.fun == pytest.approx(12.25, abs=1e-3)


@pytest.mark.parametrize(("method", "y_bounds"), CASES.values(), ids=CASES)
def test_the_pairs_before_the_stop_are_those_of_a_run_that_goes_on(method, y_bounds):
    whole, stopped, maxfev = Recorder(bowl), Recorder(bowl), 60 if method == "surrogate" else 800
    minimax(whole, X_BOUNDS, y_bounds, maxfev=maxfev, method=method, rng=7)
    result = minimax(stopped, X_BOUNDS, y_bounds, maxfev=maxfev, method=method, rng=7, tol=1e-4)
    n_closing = re.search(r"; (\d+) evaluations that attacked", result.message)
    n_attacks = re.search(r"and (\d+) attacks agree", result.message)
    n_same = len(stopped.pairs) - int((n_closing or n_attacks or [0, 0])[1])
    assert 20 < n_same <= len(stopped.pairs) < len(whole.pairs)
    assert stopped.pairs[:n_same] == whole.pairs[:n_same]


def test_where_it_stops_does_not_depend_on_maxfev():
    short = minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=2_000, method="danskin", rng=7, tol=1e-6)
    long = minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=200_000, method="danskin", rng=7, tol=1e-6)
    assert (short.nfev, short.fun, short.message) == (long.nfev, long.fun, long.message)


@pytest.mark.parametrize("method", ["auto", "danskin"])
def test_where_there_are_many_minima_a_run_goes_on_for_longer(method):
    one = minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=20_000, method=method, rng=7, tol=1e-6)
    many = minimax(hills, X_BOUNDS, Y_BOUNDS, maxfev=20_000, method=method, rng=7, tol=1e-6)
    assert many.nfev > 3 * one.nfev
    assert "ended at several values" in many.message
    assert many.fun == pytest.approx(12.25, abs=1e-3)


def test_a_coarser_tolerance_stops_no_later():
    fine = minimax(hills, X_BOUNDS, Y_BOUNDS, maxfev=20_000, method="danskin", rng=3, tol=1e-9)
    coarse = minimax(hills, X_BOUNDS, Y_BOUNDS, maxfev=20_000, method="danskin", rng=3, tol=0.5)
    assert coarse.nfev < fine.nfev


def test_a_last_attack_that_finds_a_worse_y_sends_the_run_on(monkeypatch):
    needle = 6.25

    def needled(x, y):
        return bowl(x, y) + 40.0 * max(0.0, 1.0 - abs(y[0] - needle) / 0.01)

    plain, n_attacks = method.attack_again, []

    def lucky(oracle, answer, *, is_new=True):
        n_attacks.append(oracle.n_used)
        if len(n_attacks) > 1:
            return (yield from plain(oracle, answer, is_new=is_new))
        y = np.array([(needle - 2.0) / 7.0])
        return Peak(y, (yield from oracle.ask_one(answer.place.x, y)))

    options = {"maxfev": 3_000, "method": "danskin", "rng": 7, "tol": 1e-4}
    monkeypatch.setattr(method, "attack_again", lucky)
    result = minimax(needled, X_BOUNDS, Y_BOUNDS, **options)
    assert n_attacks[0] < 500  # where it stops without the needle
    assert result.nfev == 3_000  # no other search finds the needle
    assert result.fun == pytest.approx(40.5, abs=1.0)
    assert result.y == pytest.approx([needle], abs=1e-6)
    assert not result.success


def test_noise_hides_convergence_and_the_message_says_so():
    rng = np.random.default_rng(5)

    def noisy(x, y):
        return bowl(x, y) + rng.normal(0.0, 0.1)

    result = minimax(noisy, X_BOUNDS, Y_BOUNDS, maxfev=600, method="danskin", rng=7, tol=1e-6, noise=0.1)
    assert result.nfev == 600
    assert result.message.endswith("Noise hides whether tol is reached.")


def test_a_run_whose_searches_for_a_worse_y_disagree_does_not_claim_to_have_converged():
    def bumpy(x, y):
        return (x[0] - 2.0) ** 2 + np.sum(np.cos(9.0 * y) - 0.05 * (y - 4.0) ** 2)

    f = Recorder(bumpy), Recorder(bumpy)
    minimax(f[0], [(1.0, 4.0)], [(2.0, 9.0)] * 3, maxfev=2_500, method="danskin", rng=7)
    result = minimax(f[1], [(1.0, 4.0)], [(2.0, 9.0)] * 3, maxfev=2_500, method="danskin", rng=7, tol=1e-6)
    assert f[0].pairs == f[1].pairs
    assert not result.agreement.is_evidence
    assert result.message.startswith("The evaluation budget (maxfev) is spent.")


@pytest.mark.parametrize("method", ["mmde", "random-search", "reckless", "stableopt"])
def test_a_method_that_cannot_tell_when_it_is_done_refuses(method):
    with pytest.raises(InvalidArgument) as caught:
        minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=100, method=method, tol=1e-6)
    assert str(caught.value) == (
        f"tol: the method {method} cannot tell when it is done. Leave tol out, or take 'auto', 'danskin', 'finite' or "
        "'surrogate'."
    )


@dataclass(frozen=True)
class Silent:
    """A method of somebody else that declares nothing."""

    def search(self, task):
        for _ in task.rounds():
            x, y = task.random_x(), task.random_y()
            values = yield x, y
            task.recommend_if_better(x, y, values[0])
            if task.tol is not None and task.n_used >= 20:
                task.converged = "Converged at evaluation 20: it is a test."
                return


class Able(Silent):
    """One that declares that it uses `tol`."""

    handles: ClassVar[frozenset[str]] = frozenset({"tol"})


class Muddled(Silent):
    handles = "tolerance"


@pytest.mark.parametrize("method", [Silent(), Muddled()])
def test_an_object_that_declares_nothing_refuses_too(method):
    with pytest.raises(InvalidArgument, match=r"^tol: the method .*(Silent|Muddled).* cannot tell when it is done"):
        minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=100, method=method, tol=1e-6)
    assert minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=100, method=method).nfev == 100


def test_an_object_that_declares_it_is_told_the_tolerance():
    result = minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=100, method=Able(), tol=1e-6)
    assert (result.nfev, result.message.split(".")[0]) == (20, "Converged at evaluation 20: it is a test")
    for share in (0.05, 0.1):
        danskin = reckless.Danskin(reserve_share=share)
        assert minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=2_000, method=danskin, tol=1e-4, rng=7).nfev < 1_000


def test_ask_and_tell_stops_too():
    solver = Solver("danskin", X_BOUNDS, Y_BOUNDS, maxfev=3_000, rng=7, tol=1e-4)
    while not solver.done:
        X, Y = solver.ask()
        solver.tell([bowl(x, y) for x, y in zip(X, Y, strict=True)])
    result = solver.result()
    assert result.message.startswith(f"Converged at evaluation {result.nfev}: ")
    assert result.nfev == minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=3_000, method="danskin", rng=7, tol=1e-4).nfev


def test_a_verification_follows_a_stop():
    result = minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=3_000, method="danskin", rng=7, tol=1e-4, verify=200)
    assert result.message.startswith("Converged at evaluation ")
    assert result.verification is not None
    assert result.success


# The default of maxfev.


def test_without_maxfev_a_run_gets_a_thousand_evaluations_per_coordinate_and_says_so():
    result = minimax(bowl, X_BOUNDS, Y_BOUNDS, method="random-search", rng=7)
    assert result.nfev == 4_000
    assert result.message.endswith(
        "maxfev was not given: 4,000 evaluations were allowed, 1,000 (n_x + n_y + 1) with n_x = 2 and n_y = 1."
    )


def test_a_list_of_y_counts_as_one_coordinate_and_a_little_for_each_entry():
    result = minimax(bowl, X_BOUNDS, LIST, method="random-search", rng=7)
    assert result.nfev == 4_150
    assert "with n_x = 2 and n_y = 1 + 10 for each of 15 scenarios." in result.message
    assert default_maxfev(read_domain(X_BOUNDS, "x_bounds"), read_domain(LIST, "y_bounds")) == 4_150


def test_with_maxfev_nothing_is_said_of_it():
    assert "maxfev was not given" not in minimax(bowl, X_BOUNDS, Y_BOUNDS, maxfev=50, method="random-search").message


def test_ask_and_tell_has_the_same_default():
    solver = Solver("random-search", X_BOUNDS, Y_BOUNDS, rng=7)
    while not solver.done:
        solver.tell(np.zeros(len(solver.ask()[0])))
    assert solver.nfev == 4_000
    assert "maxfev was not given" in solver.result().message


def test_a_journal_keeps_the_number_that_was_used(tmp_path):
    file = tmp_path / "run.journal"
    first = minimax(bowl, X_BOUNDS, Y_BOUNDS, method="random-search", rng=7, checkpoint=file)
    again = Recorder(bowl)
    resumed = minimax(again, X_BOUNDS, Y_BOUNDS, maxfev=4_000, method="random-search", rng=7, checkpoint=file)
    assert (len(again.pairs), resumed.fun) == (2, first.fun)  # two pairs check f


def test_a_verification_of_its_own_size_is_as_long_as_the_default():
    result = minimax(bowl, X_BOUNDS, Y_BOUNDS, method="random-search", rng=7, verify=True)
    assert 3_000 < result.verification.nfev <= 4_000


def test_measuring_a_worst_case_keeps_its_own_default():
    assert reckless.worst_case(bowl, [2.5, -4.5], LIST, maxfev=None).nfev == 15
    assert 10_000 < reckless.worst_case(bowl, [2.5, -4.5], Y_BOUNDS, rng=1).nfev <= 20_000
