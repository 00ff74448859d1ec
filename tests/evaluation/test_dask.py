"""A cluster: Dask loses workers, connections and answers, and the result is the same; all of it is on loopback."""

import asyncio
import signal
import socket
import subprocess
import sys
import threading
import types
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from click.testing import CliRunner

import reckless.evaluation.cluster
from processes import wait_until
from reckless import minimax
from reckless.bench import runner
from reckless.cli.bench import bench
from reckless.errors import InvalidArgument, ObjectiveFailed
from simulators import Counted, Murderous, slow_bowl
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'reckless[dask]'")

OPTIONS = {"maxfev": 150, "method": "coevolution-parallel", "rng": 7}

STUDY = """
problems = ["L1:n=2", "{own}:murderous", "{own}:corner:height=2"]
methods = ["reckless-cr", "random-search"]
budgets = [100, 700]
repetitions = 4
"""

OWN = """
import os
import signal

from reckless import Scenarios
from reckless.bench.problems import Optimum, Problem


def first_time():
    try:
        os.close(os.open({flag!r}, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def bowl(X, Y):
    if first_time():
        os.kill(os.getpid(), signal.SIGKILL)
    return (X[:, 0] - 2.5) ** 2 + Y[:, 0]


murderous = Problem(
    name="",
    summary="",
    function=bowl,
    x_bounds=((1, 4),),
    y_bounds=((2, 3),),
    optimum=Optimum(x=(2.5,), y=(3.0,), value=3.0, source="by hand"),
    worst_case=lambda X: ((X[:, 0] - 2.5) ** 2 + 3.0, 0.0 * X + 3.0),
)


def corner(height=1):
    return Problem(
        function=lambda x, y: height * (x[0] - y[0]) ** 2 + x[1] * y[1],
        x_bounds=[(1, 4), (2, 5, "int")],
        y_bounds=Scenarios([[2.0, 1.0], [3.0, -0.5]]),
        vectorized=False,
    )
"""


@contextmanager
def started(n_workers, *paths):
    """A cluster whose workers, each a process of its own, look for modules in `paths` first; there is no dashboard."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "path", [*map(str, paths), *sys.path])  # which worker processes inherit
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                worker_dashboard_address=None,
                silence_logs=50,
            )
        with cluster:
            yield cluster


@pytest.fixture(scope="module")
def cluster():
    with started(3) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def alone():
    return minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **OPTIONS)


def same(shared, alone):
    assert np.array_equal(shared.x, alone.x)
    assert np.array_equal(shared.y, alone.y)
    assert (shared.fun, shared.nfev, shared.n_failed, shared.message) == (alone.fun, alone.nfev, 0, alone.message)


def call(*words):
    return CliRunner().invoke(bench, [str(word) for word in words])


@pytest.fixture
def study(tmp_path):
    """A study during which a worker is killed, once: only the first to run it sees that."""
    (tmp_path / "own.py").write_text(OWN.format(flag=str(tmp_path / "killed")))
    (tmp_path / "study.toml").write_text(STUDY.format(own=tmp_path / "own.py"))
    return tmp_path / "study.toml"


def test_a_cluster_that_loses_a_worker_gives_the_same_answer_as_one_process(client, alone, tmp_path):
    counted = Counted(tmp_path / "calls", slow_bowl)
    f = Murderous(counted, 40, tmp_path / "killed")
    same(minimax(f, X_BOUNDS, Y_BOUNDS, workers=client.get_executor(), **OPTIONS), alone)
    assert len(counted.calls()) > alone.nfev  # what the dead worker had in hand was evaluated again


def test_results_whose_fetching_fails_are_computed_again(client, alone, monkeypatch):
    fetch, n_failures = client.scheduler.gather, iter(range(3))

    async def break_down(**message):
        if next(n_failures, None) is not None:
            raise distributed.CommClosedError("the line is dead")
        return await fetch(**message)

    monkeypatch.setattr(client.scheduler, "gather", break_down, raising=False)
    same(minimax(slow_bowl, X_BOUNDS, Y_BOUNDS, workers=client.get_executor(), **OPTIONS), alone)
    assert next(n_failures, None) is None


def test_results_that_are_late_are_fetched_again_and_not_computed_again(client, alone, monkeypatch, tmp_path):
    fetch, n_silences = client.scheduler.gather, iter(range(3))

    async def be_silent(**message):
        if next(n_silences, None) is not None:
            await asyncio.Event().wait()
        return await fetch(**message)

    monkeypatch.setattr(client.scheduler, "gather", be_silent, raising=False)
    monkeypatch.setattr(reckless.evaluation.cluster, "PATIENCE", 0.05)
    counted = Counted(tmp_path / "calls", slow_bowl)
    same(minimax(counted, X_BOUNDS, Y_BOUNDS, workers=client.get_executor(), **OPTIONS), alone)
    assert next(n_silences, None) is None
    assert len(counted.calls()) == alone.nfev


def test_a_generation_can_be_fitted_to_a_cluster(client):
    options = {**OPTIONS, "method": "reckless", "batch_size": 6}
    shared = minimax(slow_bowl, X_BOUNDS, Y_BOUNDS, workers=client.get_executor(), **options)
    same(shared, minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **{**OPTIONS, "method": "reckless:population_size=6"}))


def test_a_run_that_is_out_of_time_leaves_the_cluster_nothing_to_do(client, cluster):
    options = {**OPTIONS, "maxfev": 10**6}  # a method whose batches are larger than the cluster, or it is warned of
    result = minimax(slow_bowl, X_BOUNDS, Y_BOUNDS, workers=client.get_executor(), maxtime=0.2, **options)
    assert "time" in result.message
    assert client.submit(abs, -3).result() == 3
    assert len(cluster.scheduler.tasks) <= 1


def test_an_objective_that_workers_cannot_import_says_so_and_leaves_them_alive(client, monkeypatch):
    module = types.ModuleType("only_here")
    exec("def f(x, y):\n    return 1.0", vars(module))
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(ModuleNotFoundError, match="only_here"):
        minimax(module.f, X_BOUNDS, Y_BOUNDS, workers=client.get_executor(), **OPTIONS)
    assert client.submit(abs, -3).result() == 3


def test_an_objective_that_cannot_be_sent_to_a_cluster_is_refused_in_a_sentence(client):
    lock = threading.Lock()
    with pytest.raises(InvalidArgument, match="f cannot be sent to another process"):
        minimax(lambda x, y: float(lock.locked()), X_BOUNDS, Y_BOUNDS, workers=client.get_executor(), **OPTIONS)


def test_a_cluster_that_is_gone_ends_the_run_with_a_sentence(cluster):
    with distributed.Client(cluster) as client:
        executor = client.get_executor()
    with pytest.raises(ObjectiveFailed, match="the executor takes no more work"):
        minimax(slow_bowl, X_BOUNDS, Y_BOUNDS, workers=executor, **OPTIONS)


@pytest.fixture
def remote(tmp_path):
    """A scheduler in a process of its own, without workers, and a client of it."""
    file = tmp_path / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "dask", "scheduler", *words],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        with distributed.Client(scheduler_file=str(file)) as client:
            yield scheduler, client.get_executor()
            scheduler.send_signal(signal.SIGCONT)
    finally:
        scheduler.kill()
        scheduler.wait()


def test_a_frozen_scheduler_does_not_keep_a_run_beyond_its_time(remote):
    scheduler, executor = remote
    scheduler.send_signal(signal.SIGSTOP)
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, workers=executor, maxtime=0.2, **OPTIONS)
    assert (result.nfev, result.success) == (0, False)
    assert "maxtime" in result.message


def test_a_scheduler_that_freezes_ends_the_run_with_a_sentence(remote, monkeypatch):
    scheduler, executor = remote
    monkeypatch.setattr(reckless.evaluation.cluster, "SILENCE", 1.0)
    scheduler.send_signal(signal.SIGSTOP)
    with pytest.raises(ObjectiveFailed, match="the scheduler of Dask has not answered for 1 seconds"):
        minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, workers=executor, **OPTIONS)


def test_a_study_on_a_cluster_that_loses_a_worker_gives_the_same_bytes_as_local_processes(cluster, study):
    there, here = study.with_name("there.sqlite"), study.with_name("here.sqlite")
    run = call("run", study, "--store", there, "--dask", cluster.scheduler_address)
    assert run.exit_code == 0, run.output
    assert study.with_name("killed").exists()
    assert call("run", study, "--store", here, "--workers", 2).exit_code == 0
    exported = call("export", study, "--store", there).stdout
    assert exported == call("export", study, "--store", here).stdout
    assert len(exported.splitlines()) == 49
    assert exported.count(",best known,") == 16


def test_an_address_without_a_scheduler_is_refused_in_a_sentence(cluster, study, monkeypatch):
    monkeypatch.setattr(runner, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.create_server(("127.0.0.1", 0)) as closed:
        silent_port, free_port = silent.getsockname()[1], closed.getsockname()[1]
        closed.close()
        worker = next(iter(cluster.scheduler.workers))
        for address in (
            f"tcp://127.0.0.1:{free_port}",
            f"tcp://127.0.0.1:{silent_port}",
            worker,
            "127.0.0.1",
            "tls://a:1",
        ):
            refused = call("run", study, "--dask", address).exception
            assert isinstance(refused, InvalidArgument)
            assert f"no scheduler answers at {address}" in str(refused)


def test_a_cluster_without_workers_is_refused_in_a_sentence(study):
    with started(0) as cluster:
        refused = call("run", study, "--dask", cluster.scheduler_address).exception
    assert isinstance(refused, InvalidArgument)
    assert "has no workers" in str(refused)


@pytest.mark.parametrize(("line", "words"), [("Version: 9.9", "version 9.9 of it"), ("", "has none")])
def test_workers_with_another_version_or_none_are_refused_in_a_sentence(tmp_path, study, line, words):
    metadata = tmp_path / "other" / "reckless-9.9.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(f"Metadata-Version: 2.1\nName: reckless\n{line}\n")
    with started(1, tmp_path / "other") as cluster:
        refused = call("run", study, "--dask", cluster.scheduler_address).exception
    assert isinstance(refused, InvalidArgument)
    assert "reckless" in str(refused)
    assert words in str(refused)


def test_a_number_of_processes_beside_a_cluster_is_refused_and_changes_nothing(study):
    refused = call("run", study, "--dask", "tcp://127.0.0.1:8786", "--workers", 2).exception
    assert isinstance(refused, InvalidArgument)
    assert "Leave out --workers or --dask" in str(refused)
    assert not study.with_suffix(".sqlite").exists()
    with pytest.raises(InvalidArgument, match="Leave out workers or dask"):
        next(runner.run_cells([], None, workers=2, dask="tcp://127.0.0.1:8786"))


def test_without_dask_a_sentence_says_how_to_get_it(study, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused = call("run", study, "--dask", "tcp://127.0.0.1:8786").exception
    assert isinstance(refused, InvalidArgument)
    assert "pip install 'reckless[dask]'" in str(refused)


def test_nothing_of_dask_is_loaded_unless_it_is_used():
    code = "import sys, reckless; reckless.minimax; print({'dask', 'distributed', 'loky'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
