"""A cluster: Dask through its own executor, with one of its workers killed during the run."""

import os
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest

from reckless import minimax
from simulators import Counted, slow_bowl
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'reckless[dask]'")


class Murderous:
    """An objective during whose n-th call, wherever it happens, the worker is killed from outside."""

    def __init__(self, counted, n):
        self.counted, self.n = counted, n

    def __call__(self, x, y):
        value = self.counted(x, y)
        if len(self.counted.calls()) == self.n:
            os.kill(os.getpid(), signal.SIGKILL)
        return value


@pytest.fixture
def executor(request, monkeypatch):
    """Three workers, each a process of its own, on loopback; nothing listens elsewhere, and there is no dashboard."""
    path = os.pathsep.join([str(request.config.rootpath / "tests"), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=3,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                worker_dashboard_address=None,
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client.get_executor()


def test_a_cluster_that_loses_a_worker_gives_the_same_answer_as_one_process(executor, tmp_path):
    options = {"maxfev": 150, "method": "coevolution-parallel", "rng": 7}
    counted = Counted(tmp_path / "calls", slow_bowl)
    shared = minimax(Murderous(counted, 40), X_BOUNDS, Y_BOUNDS, workers=executor, **options)
    alone = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **options)
    assert np.array_equal(shared.x, alone.x)
    assert np.array_equal(shared.y, alone.y)
    assert (shared.fun, shared.nfev, shared.n_failed, shared.message) == (alone.fun, alone.nfev, 0, alone.message)
    assert len(counted.calls()) > alone.nfev  # what the dead worker had in hand was evaluated again


def test_nothing_of_dask_is_loaded_unless_it_is_used():
    code = "import sys, reckless; reckless.minimax; print({'dask', 'distributed', 'loky'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
