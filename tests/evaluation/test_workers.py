"""workers=: whoever evaluates, the run is the same."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import reckless
from processes import same
from reckless import InvalidArgument, ObjectiveFailed, WorkersWarning, minimax, worst_case
from reckless.evaluation import executors
from reckless.evaluation.executors import read_workers, start_engine
from reckless.evaluation.objective import Evaluator
from reckless.evaluation.pool import Parcel, Pool
from reckless.evaluation.wire import Chunks
from simulators import Counted, crash_at_three, slow_bowl
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl


def solve(f, **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, **{"maxfev": 150, "method": "reckless", "rng": 7, **options})


@pytest.mark.parametrize("method", ["reckless", "coevolution-parallel"])
def test_the_result_is_the_same_for_any_number_of_workers(method):
    serial = solve(tilted_bowl, method=method)
    for workers in (1, 3):
        assert same(solve(slow_bowl, method=method, workers=workers), serial)


def test_lambdas_closures_and_what_they_refer_to_travel():
    offset, nap = 2.5, slow_bowl
    assert same(solve(lambda x, y: nap(x, y) + offset, workers=2), solve(lambda x, y: tilted_bowl(x, y) + offset))


def test_a_script_needs_no_main_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import time, reckless\n"
        "print('begun')\n"
        "def f(x, y):\n    time.sleep(0.001)\n    return x[0] - y[0]\n"
        "print(reckless.minimax(f, [(1, 2)], [(3, 4)], maxfev=20, method='reckless', rng=1, workers=2).nfev)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "begun\n20\n"


def test_a_vectorized_objective_is_given_parts_of_a_batch():
    def f(X, Y):
        time.sleep(0.001 * len(X))
        return tilted_bowl(X.T, Y.T)

    assert same(solve(f, vectorized=True, workers=2), solve(lambda X, Y: tilted_bowl(X.T, Y.T), vectorized=True))


def test_the_verification_can_be_measured_by_workers():
    alone = worst_case(lambda x, y: -((y[0] - 3.0) ** 2), [1.0], Y_BOUNDS, maxfev=120, rng=1)
    with ThreadPoolExecutor(2) as threads:

        def f(x, y):
            time.sleep(0.0005)
            return -((y[0] - 3.0) ** 2)

        shared = worst_case(f, [1.0], Y_BOUNDS, maxfev=120, rng=1, workers=threads)
    assert (shared.fun, shared.nfev, shared.message) == (alone.fun, alone.nfev, alone.message)


def test_what_is_cheap_stays_in_this_process_and_a_warning_says_so_once(tmp_path):
    pids = tmp_path / "pids"

    def f(x, y):
        with open(pids, "a") as file:
            file.write(f"{os.getpid()}\n")
        return tilted_bowl(x, y)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with ThreadPoolExecutor(2) as threads:
            result = solve(tilted_bowl, maxfev=1000, workers=threads)
        solve(f, workers=2)
    assert same(result, solve(tilted_bowl, maxfev=1000))
    sentences = [str(warning.message) for warning in caught if warning.category is WorkersWarning]
    assert sum("threads" not in sentence and "microseconds" in sentence for sentence in sentences) == 2
    assert str(os.getpid()) in pids.read_text().split()


@pytest.mark.parametrize("policy", [{"on_error": "ignore"}, {"on_error": "worst"}, {"eval_timeout": 60.0}])
def test_what_may_fail_never_runs_in_this_process_however_cheap_it_is(policy):
    here = os.getpid()

    def f(x, y):
        assert os.getpid() != here
        return tilted_bowl(x, y)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(solve(f, workers=1, **policy), solve(tilted_bowl))
        assert worst_case(f, [1.0, -3.0], Y_BOUNDS, maxfev=100, rng=1, workers=1, **policy).nfev == 100


def test_a_cheap_objective_that_crashes_does_not_take_the_caller_along():
    def f(x, y):
        if y[0] > 8.9:
            os._exit(7)
        return tilted_bowl(x, y)

    result = solve(f, maxfev=60, workers=1, on_error="ignore", method="random-search")
    assert result.nfev == 60


def test_more_workers_than_a_generation_has_points_are_told_that_they_are_idle():
    with (
        ThreadPoolExecutor(9) as threads,
        pytest.warns(WorkersWarning, match="there are 9, but this method asks for 4 pairs at a time") as caught,
    ):
        solve(slow_bowl, workers=threads)
    assert len(caught) == 1


def test_a_generation_is_the_least_multiple_of_the_batch_size_that_is_usual_or_more():
    sizes = []

    def sized_map(task, pairs):
        sizes.append(len(pairs))
        return map(task, pairs)

    wide = solve(slow_bowl, method="reckless", batch_size=3, workers=sized_map)  # usual are 4 + floor(3 ln 2) = 6
    assert set(sizes[:5]) == {6}
    assert same(wide, solve(tilted_bowl, method=reckless.Reckless(population_size=6)))
    assert same(
        solve(tilted_bowl, method="reckless", batch_size=4), solve(tilted_bowl, method="reckless:population_size=8")
    )
    with ThreadPoolExecutor(9) as threads, warnings.catch_warnings():
        warnings.simplefilter("error")
        solve(slow_bowl, method="reckless", batch_size=9, workers=threads)


def test_the_batch_size_is_the_users_word_never_that_of_the_workers_nor_above_a_population_size():
    alone = solve(tilted_bowl, method="reckless")
    assert same(alone, solve(slow_bowl, method="reckless", workers=3))
    sized = solve(tilted_bowl, method="reckless:population_size=6")
    assert same(sized, solve(tilted_bowl, method="reckless:population_size=6", batch_size=16))
    assert same(solve(tilted_bowl, method="mmde"), solve(tilted_bowl, method="mmde", batch_size=16))
    with pytest.raises(InvalidArgument, match="^batch_size: expected a whole number of at least 1, but got 0"):
        solve(tilted_bowl, batch_size=0)


def test_costly_pairs_go_one_by_one_and_cheap_ones_together():
    chunks = Chunks()
    assert [len(job.rows) for job in chunks.jobs(5, 2)] == [1] * 5  # nothing is known yet
    chunks.note(1.0, 1)
    assert [len(job.rows) for job in chunks.jobs(5, 2)] == [1] * 5
    cheap = Chunks()
    cheap.note(0.03, 10)
    assert [len(job.rows) for job in cheap.jobs(100, 2)] == [3] * 33 + [1]
    assert [len(job.rows) for job in cheap.jobs(4, 2)] == [2, 2]


def test_a_worker_that_dies_is_replaced_and_its_pairs_are_sent_again(tmp_path):
    flag = tmp_path / "crashed"

    def f(x, y):
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGSEGV)
        return slow_bowl(x, y)

    assert same(solve(f, workers=2), solve(tilted_bowl))


def test_a_pair_that_kills_every_worker_is_given_up_and_the_others_are_not(tmp_path):
    def f(x, y):
        if y[0] > 8.0:
            os._exit(3)
        return slow_bowl(x, y)

    result = solve(f, maxfev=15, method="mmde", workers=2, on_error="ignore")
    assert result.nfev == 15
    assert 0 < result.n_failed < 15
    assert result.first_failure.y[0] > 8.0
    assert "died (exit code 3) during this evaluation; this pair was sent 3 times" in result.first_failure.traceback
    with pytest.raises(ObjectiveFailed, match="The worker process died"):
        solve(f, maxfev=15, method="mmde", workers=2)


def test_no_process_is_left_when_the_run_ends(tmp_path):
    pids = tmp_path / "pids"

    def f(x, y):
        with open(pids, "a") as file:
            file.write(f"{os.getpid()}\n")
        if len(pids.read_text()) > 200:
            raise ValueError("enough")
        return slow_bowl(x, y)

    with pytest.raises(ValueError, match="enough"):
        solve(f, workers=2)
    for pid in set(map(int, pids.read_text().split())) - {os.getpid()}:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_the_exception_of_f_comes_back_as_it_was():
    class Tangled(Exception):
        pass

    def f(x, y):
        raise Tangled("mesh")

    def g(x, y):
        raise StopIteration

    with pytest.raises(Tangled, match="mesh"):
        solve(f, workers=1)
    with pytest.raises(StopIteration):
        solve(g, workers=1)


def test_what_cannot_be_sent_is_said_before_anything_starts():
    lock = threading.Lock()
    with pytest.raises(InvalidArgument, match="^workers: f cannot be sent to another process .*lock"):
        solve(lambda x, y: lock and 0.0, workers=2)


@pytest.mark.parametrize("workers", [0, -2, 1.5, True, "four", [2], ThreadPoolExecutor])
def test_other_kinds_of_workers_are_refused(workers):
    with pytest.raises(InvalidArgument, match="^workers: expected"):
        solve(tilted_bowl, workers=workers)


def test_the_example_for_a_wrong_number_of_workers_is_a_sensible_one():
    with pytest.raises(InvalidArgument, match=r"but got 0\. For example workers=4\.$"):
        solve(tilted_bowl, workers=0)


def test_more_workers_than_processors_can_serve_are_warned_of_and_never_a_process_per_pair(monkeypatch):
    monkeypatch.setattr(executors, "_n_processors", lambda: 2)
    evaluator = Evaluator(tilted_bowl, vectorized=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        start_engine(evaluator, 8, None).close(at_once=True)
    with pytest.warns(WorkersWarning, match="^workers: 9 processes are many for 2 processors.* at most 9 are started"):
        start_engine(evaluator, 9, None).close(at_once=True)
    with pytest.warns(WorkersWarning, match="at most 100 are started. Did you mean workers=-1") as caught:
        start_engine(evaluator, read_workers(1e9), None).close(at_once=True)
    assert len(caught) == 1


def test_minus_one_is_one_per_processor():
    assert same(solve(slow_bowl, workers=-1, maxfev=30), solve(tilted_bowl, maxfev=30))


def test_one_process_does_the_work_of_a_batch_of_one(tmp_path):
    calls = Counted(tmp_path / "calls", slow_bowl)
    engine = start_engine(Evaluator(calls, vectorized=False), 4, None)
    try:
        X, Y = np.array([[2.0, -3.0]]), np.array([[5.0]])
        (done,) = engine.outcomes(X, Y, math.inf)
        assert (done.rows.tolist(), done.values.tolist(), done.reasons) == ([0], [0.0], {})
    finally:
        engine.close(at_once=False)
    assert len(calls.calls()) == 1


def test_a_pool_does_any_work_and_says_what_was_lost():
    pool = Pool(crash_at_three, 2, {"OMP_NUM_THREADS": "1"})
    parcels, done = deque(Parcel(k, label=str(k)) for k in range(6)), []
    try:
        while parcels or pool.is_busy:
            done += pool.deliver(parcels, math.inf)
    finally:
        pool.close(at_once=True)
    answers = {delivery.parcel.label: delivery.answer for delivery in done}
    assert answers == {"0": "0 1", "1": "1 1", "2": "2 1", "3": None, "4": "4 1", "5": "5 1"}
    (lost,) = [delivery for delivery in done if delivery.loss is not None]
    assert lost.loss == "The worker process died (exit code 7)"


@pytest.mark.parametrize("seconds", [3e6, 1e18, 1e300])
def test_times_may_be_of_any_length(seconds):
    alone = solve(tilted_bowl, maxfev=20)
    assert same(solve(slow_bowl, maxfev=20, workers=1, eval_timeout=seconds), alone)
    assert same(solve(slow_bowl, maxfev=20, workers=1, maxtime=seconds), alone)
    with ThreadPoolExecutor(1) as threads:
        assert same(solve(slow_bowl, maxfev=20, workers=threads, maxtime=seconds), alone)


def test_a_parcel_that_takes_too_long_is_late():
    pool = Pool(time.sleep, 1)
    parcels, done = deque([Parcel(60.0, seconds=0.2)]), []
    try:
        while parcels or pool.is_busy:
            done += pool.deliver(parcels, math.inf)
    finally:
        pool.close(at_once=True)
    assert [delivery.is_late for delivery in done] == [True]
