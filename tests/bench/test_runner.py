"""The runner: neither the number of workers nor any interruption changes a digit, and no failure is swallowed."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from processes import is_running, wait_until
from reckless.bench.export import export
from reckless.bench.runner import CHUNK_CELLS, CHUNK_EVALUATIONS, CellFailed, plan_chunks, run_cell, run_cells
from reckless.bench.store import Store
from reckless.bench.study import Cell, Study
from reckless.errors import InvalidArgument

STUDY = Study(
    name="small",
    problems=("L1:n=2", "L3", "filter"),
    methods=("reckless-cr", "mmde", "coevolution-parallel"),
    budgets=(100, 700),
    repetitions=3,
)

OWN = """
import os
import time
from pathlib import Path
from reckless.bench.problems import Optimum, Problem


def fail(X, Y):
    raise RuntimeError("the pump leaks")


def die(X, Y):
    os._exit(3)


def sleep(X, Y):
    Path({marks!r}, str(os.getpid())).touch()
    time.sleep(600)


def make(function):
    optimum = Optimum(x=(2.5,), y=None, value=0.0, source="by hand")
    return Problem(
        name="", summary="", function=function, x_bounds=((1, 4),), y_bounds=((2, 3),), optimum=optimum
    )


failing, dying, sleeping = make(fail), make(die), make(sleep)
"""


@pytest.fixture
def own(tmp_path):
    """A file of the reader's own problems, none of which can be run to its end."""
    (tmp_path / "marks").mkdir()
    path = tmp_path / "own.py"
    path.write_text(OWN.replace("{marks!r}", repr(str(tmp_path / "marks"))))
    return path


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The export of the study, run in this process and in the order of its cells."""
    with Store(tmp_path_factory.mktemp("reference") / "s.sqlite") as store:
        store.append([run_cell(cell) for cell in STUDY.cells()])
        return exported(store)


def exported(store):
    file = io.StringIO()
    export(store, file, format="json")
    export(store, file, format="csv")
    return file.getvalue()


def test_the_number_of_workers_does_not_change_a_digit(tmp_path, reference):
    """Two give what none gave; one does so in the study that goes on, below."""
    environment = dict(os.environ)
    with Store(tmp_path / "s.sqlite") as store:
        *_, last = run_cells(STUDY.cells(), store, workers=2)
        assert exported(store) == reference
    assert dict(os.environ) == environment
    assert (last.cells_done, last.cells) == (54, 54)
    assert last.evaluations_done == last.evaluations == 27 * 800


def test_a_study_that_was_left_goes_on_and_skips_what_is_finished(tmp_path, reference):
    cells = STUDY.cells()
    with Store(tmp_path / "s.sqlite") as store:
        for step in run_cells(cells, store, workers=1):
            if step.cells_done > 0:
                break
        n_before = len(store)
        assert 0 < n_before < len(cells)
        first, *_, last = run_cells(cells, store, workers=1)
        assert (first.cells_done, last.cells_done) == (n_before, 54)
        assert exported(store) == reference
        (only,) = run_cells(cells, store, workers=2)  # nothing is missing, so no worker is started
        assert only.cells_done == 54


MINE = """
import reckless
from reckless.bench.problems import Problem


def tank(load=1.0):
    def f(x, y):
        return (x[0] - y[0]) ** 2 + load * x[1] * y[1]

    return Problem(function=f, x_bounds={"pump": (1, 4), "valves": (2, 5, "int")}, y_bounds=CASES, vectorized=False)


CASES = reckless.Scenarios([[1.5, 1.0], [3.0, -0.5]])
"""


def test_a_problem_of_vectors_and_sets_without_an_optimum_runs_in_processes_as_it_does_here(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    names = tuple(f"{tmp_path / 'mine.py'}:tank{settings}" for settings in ("", ":load=2"))
    own = Study(name="own", problems=names, methods=("finite", "random-search"), budgets=(40,), repetitions=2)
    with Store(tmp_path / "here.sqlite") as here, Store(tmp_path / "there.sqlite") as there:
        here.append([run_cell(cell) for cell in own.cells()])
        list(run_cells(own.cells(), there, workers=2))
        assert exported(there) == exported(here)
        records = there.records()
    assert {record.against for record in records} == {"best known"}
    for name in names:
        regrets = [record.regret for record in records if record.problem == name]
        assert min(regrets) == 0.0 < max(regrets)
    assert {float(record.x[1]) for record in records} <= {2.0, 3.0, 4.0, 5.0}
    # x = (a, 2): (a - 1.5)^2 + 2 and (a - 3)^2 - 1 meet at a = 1.25, where the first falls: its minimum is 2, at 1.5.
    best = min(record.worst_case for record in records if record.problem == names[0])
    assert best == pytest.approx(2.0, abs=1e-6)


def test_a_cell_that_raises_is_named_and_what_was_finished_is_stored(tmp_path, own):
    good = [Cell("L3", "random-search", 100, k) for k in range(5)]
    bad = Cell(f"{own}:failing", "random-search", 10, 0)
    with Store(tmp_path / "s.sqlite") as store:
        with pytest.raises(CellFailed, match=r"own\.py:failing by random-search.*RuntimeError: the pump leaks"):
            list(run_cells([bad, *good], store, workers=1))
        assert store.finished() == set(good)


def test_a_worker_that_dies_is_reported(tmp_path, own):
    with Store(tmp_path / "s.sqlite") as store, pytest.raises(CellFailed, match="worker process died"):
        list(run_cells([Cell(f"{own}:dying", "random-search", 10, 0)], store, workers=1))


def test_a_wrong_number_of_workers_is_refused(tmp_path):
    with Store(tmp_path / "s.sqlite") as store, pytest.raises(InvalidArgument, match="workers"):
        list(run_cells(STUDY.cells(), store, workers=0))


def test_a_record_says_what_was_run_and_what_came_of_it():
    record, parameters = run_cell(Cell("L1:n=2", "reckless-n:descent_share=0.3", 2000, 4))
    assert (record.problem, record.budget, record.repetition) == ("L1:n=2", 2000, 4)
    assert record.nfev <= 2000
    assert "descent_share=0.3" in parameters
    assert record.history_regret[-1] == record.regret == record.worst_case
    assert record.inner_gap == record.worst_case - record.estimate
    assert record.history_nfev.shape == record.history_regret.shape
    assert record.seconds > 0.0


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_chunks_hold_every_cell_once_largest_first(workers):
    cells = [Cell("L1", "mmde", budget, k) for budget in (100, 1000, 10**6, 30_000) for k in range(200)]
    chunks = plan_chunks(cells, workers)
    assert sorted(cell for chunk in chunks for cell in chunk) == sorted(cells)
    budgets = [cell.budget for chunk in chunks for cell in chunk]
    assert budgets == sorted(budgets, reverse=True)
    for chunk in chunks:
        assert len(chunk) <= CHUNK_CELLS
        assert len(chunk) == 1 or sum(cell.budget for cell in chunk) <= CHUNK_EVALUATIONS


def test_a_small_study_is_shared_among_all_workers():
    assert len(plan_chunks(STUDY.cells(), 4)) >= 4


# Killed processes: a study in a process of its own, as the command line runs it.

TOML = f"""
problems = {list(STUDY.problems)}
methods = {list(STUDY.methods)}
budgets = {list(STUDY.budgets)}
repetitions = {STUDY.repetitions}
"""


def start(tmp_path: Path, text: str, workers: int) -> "subprocess.Popen[bytes]":
    (tmp_path / "study.toml").write_text(text)
    code = f"from reckless.cli.bench import bench; bench(['run', 'study.toml', '--workers', '{workers}'])"
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def count(path: Path) -> int:
    if not path.exists() or path.stat().st_size == 0:
        return 0
    with Store(path, readonly=True) as store:
        return len(store)


def test_killed_again_and_again_a_study_ends_with_the_same_bytes(tmp_path, reference):
    path = tmp_path / "study.sqlite"
    counts = [0]
    for _ in range(2):
        process = start(tmp_path, TOML, workers=1)
        try:
            wait_until(lambda process=process: process.poll() is not None or count(path) > counts[-1])
        finally:
            process.kill()  # SIGKILL: no chance to tidy up
            process.wait()
        counts.append(count(path))
    assert counts == sorted(counts)
    assert 0 < counts[1] < len(STUDY.cells())  # it really was interrupted
    assert start(tmp_path, TOML, workers=1).wait(60) == 0
    with Store(path, readonly=True) as store:
        assert exported(store) == reference


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes as Linux shows them")
def test_workers_end_with_a_main_process_that_is_killed(tmp_path, own):
    text = 'problems = ["own.py:sleeping"]\nmethods = ["mmde"]\nbudgets = [10]\nrepetitions = 2\n'
    process = start(tmp_path, text, workers=2)
    marks = tmp_path / "marks"
    try:
        wait_until(lambda: process.poll() is not None or len(list(marks.iterdir())) == 2)
    finally:
        process.kill()
        process.wait()
    pids = [int(mark.name) for mark in marks.iterdir()]
    assert len(pids) == 2
    wait_until(lambda: not any(is_running(pid) for pid in pids), 10.0)
