"""An edited f and an old journal: the first pairs are evaluated again before the journal is believed."""

import warnings

import numpy as np
import pytest

from journals import changed_head
from reckless import InvalidJournal, JournalWarning, Solver, minimax
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

METHODS = ["danskin", "reckless", "mmde", "random-search"]


def solve(f, path, method="reckless", **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=200, method=method, rng=7, checkpoint=path, **options)


def other(x, y):
    return 100.0 - tilted_bowl(x, y)


class Stopping:
    """An objective that is interrupted at its n-th call."""

    def __init__(self, f, n):
        self.f, self.n, self.n_calls = f, n, 0

    def __call__(self, x, y):
        self.n_calls += 1
        if self.n_calls == self.n:
            raise KeyboardInterrupt
        return self.f(x, y)


@pytest.mark.filterwarnings("ignore::reckless.WorkersWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [60, 10**6], ids=["interrupted", "finished"])
@pytest.mark.parametrize("workers", [None, map], ids=["here", "map"])
def test_a_journal_of_another_f_is_refused_and_not_modified(tmp_path, method, n, workers):
    path = tmp_path / "run.journal"
    solve(Stopping(tilted_bowl, n), path, method)
    with open(path, "ab") as file:
        file.write(b"torn")
    before, f = path.read_bytes(), Stopping(other, 0)
    with pytest.raises(InvalidJournal, match="^checkpoint: f was .*, .* at the first pairs in .* another f"):
        solve(f, path, method, workers=workers)
    assert path.read_bytes() == before
    assert f.n_calls == 3  # the two pairs, and the first one again: f might be noisy


@pytest.mark.parametrize("method", METHODS)
def test_the_evaluations_count_nowhere(tmp_path, method):
    path, plain = tmp_path / "run.journal", solve(tilted_bowl, None, method)
    stopped = solve(Stopping(tilted_bowl, 80), path, method)
    assert stopped.nfev == 79
    f = Stopping(tilted_bowl, 0)
    resumed = solve(f, path, method)
    assert f.n_calls == plain.nfev - 79 + 2
    assert (resumed.nfev, resumed.fun, resumed.message) == (plain.nfev, plain.fun, plain.message)
    assert path.read_bytes().count(b"\nvalue ") == plain.nfev


def test_a_small_difference_is_a_warning_that_shows_the_values(tmp_path):
    path, values = tmp_path / "run.journal", []

    def first(x, y):
        values.append(tilted_bowl(x, y))
        return values[-1]

    plain = solve(first, path)
    shift = 1e-3 * (max(values) - min(values))
    with pytest.warns(JournalWarning, match=f"f was {values[0]}, {values[1]} at .* now it is {values[0] + shift}, "):
        resumed = solve(lambda x, y: tilted_bowl(x, y) + shift, path)
    assert resumed.fun == plain.fun


def test_the_warning_names_the_line_that_called(tmp_path):
    path = tmp_path / "run.journal"
    solve(tilted_bowl, path)
    changed_head(path, environment={"processor": "abacus"})
    options = {"maxfev": 200, "method": "reckless", "rng": 7, "checkpoint": path}
    with pytest.warns(JournalWarning) as caught:
        minimax(lambda x, y: tilted_bowl(x, y) + 1e-3, X_BOUNDS, Y_BOUNDS, **options)
    with pytest.warns(JournalWarning) as told:
        Solver(options.pop("method"), X_BOUNDS, Y_BOUNDS, **options)
    assert [warning.filename for warning in [*caught, *told]] == [__file__] * 3


def test_one_pair_alone_is_a_warning(tmp_path):
    path = tmp_path / "run.journal"
    solve(Stopping(tilted_bowl, 2), path)
    with pytest.warns(JournalWarning, match="now it is"):
        solve(other, path)


def test_noise_is_a_warning_whether_the_journal_shows_it_or_f_does_now(tmp_path):
    noise = np.random.default_rng(3)

    def noisy(x, y):
        return tilted_bowl(x, y) + 100.0 * noise.normal()

    for method in ("random-search", "danskin"):
        path = tmp_path / method
        solve(noisy, path, method)
        with pytest.warns(JournalWarning, match="now it is"):
            assert solve(noisy, path, method).nfev == 200


def test_an_exception_of_f_is_f_s(tmp_path):
    path = tmp_path / "run.journal"
    solve(Stopping(tilted_bowl, 60), path)
    before = path.read_bytes()

    def broken(x, y):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        solve(broken, path)
    assert solve(Stopping(tilted_bowl, 1), path).status == 4
    assert path.read_bytes() == before
    with pytest.warns(JournalWarning, match="now it is a failure, a failure there"):
        solve(broken, path, on_error="ignore")


def test_failures_in_the_journal_are_not_compared(tmp_path):
    path = tmp_path / "run.journal"

    def failing(x, y):
        return float("nan") if y[0] < 7.0 else tilted_bowl(x, y)

    plain = solve(Stopping(failing, 100), path, nan_policy="ignore")
    assert plain.n_failed > 0
    f = Stopping(failing, 0)
    assert solve(f, path, nan_policy="ignore").nfev == 200
    assert f.n_calls == 200 - 99 + 2


def test_a_vectorized_f_may_round_otherwise_among_other_rows(tmp_path):
    path = tmp_path / "run.journal"

    def rows(X, Y):
        values = np.array([tilted_bowl(x, y) for x, y in zip(X, Y, strict=True)])
        return values * (1.0 + 1e-15 * len(X))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = solve(rows, path, vectorized=True)
        again = solve(rows, path, vectorized=True)
    assert (again.x.tolist(), again.fun, again.nfev) == (first.x.tolist(), first.fun, first.nfev)


def test_ask_and_tell_is_not_checked(tmp_path):
    path = tmp_path / "run.journal"
    solver = Solver("reckless", X_BOUNDS, Y_BOUNDS, maxfev=200, rng=7, checkpoint=path)
    X, Y = solver.ask()
    solver.tell([tilted_bowl(x, y) for x, y in zip(X, Y, strict=True)])
    solver.stop()
    again = Solver("reckless", X_BOUNDS, Y_BOUNDS, maxfev=200, rng=7, checkpoint=path)
    assert again.nfev == len(X)
    again.stop()
    with pytest.raises(InvalidJournal, match="another f"):
        solve(other, path)
