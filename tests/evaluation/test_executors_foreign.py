"""The executors of other packages, each with an optional test: `executorlib`, and `mpi4py.futures` by `-m mpi`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from processes import same
from reckless import minimax
from reckless.evaluation.carriers import ExecutorCarrier
from reckless.evaluation.objective import Evaluator
from reckless.evaluation.wire import Portable
from simulators import slow_bowl
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

TESTS = Path(__file__).parents[1]  # where its workers find the functions
OPTIONS = {"maxfev": 24, "method": "reckless", "rng": 7}


@pytest.mark.executorlib
@pytest.mark.parametrize(("stays", "maxfev"), [(True, 24), (False, 5)])
def test_executorlib_gives_the_same_answer_as_one_process(monkeypatch, stays, maxfev):
    """With workers that stay, and with a new one for each parcel."""
    executorlib = pytest.importorskip("executorlib", reason="executorlib is not installed: pip install executorlib")
    from executorlib.standalone.interactive.communication import SocketInterface

    def bind(interface):  # the package listens on all addresses
        return interface._socket.bind_to_random_port("tcp://127.0.0.1")

    monkeypatch.setattr(SocketInterface, "bind_to_random_port", bind)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]))
    kind, options = {"hostname_localhost": True, "block_allocation": stays}, {**OPTIONS, "maxfev": maxfev}
    with executorlib.SingleNodeExecutor(max_workers=2, **kind) as executor:
        carrier = ExecutorCarrier(Portable(Evaluator(slow_bowl, vectorized=False)), executor)
        assert carrier.n_workers == 2
        found = minimax(slow_bowl, X_BOUNDS, Y_BOUNDS, workers=executor, **options)
    assert same(found, minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **options))


SCRIPT = """
import reckless
from mpi4py.futures import MPIPoolExecutor
from reckless.evaluation.carriers import ExecutorCarrier
from simulators import slow_bowl
from support import X_BOUNDS, Y_BOUNDS

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        n_workers = ExecutorCarrier(len, executor).n_workers
        options = {"maxfev": 24, "method": "reckless", "rng": 7}
        found = reckless.minimax(slow_bowl, X_BOUNDS, Y_BOUNDS, workers=executor, **options)
    print(n_workers, found.x.tolist(), found.fun, found.nfev)
"""


def launcher():
    """The program that starts MPI processes, beside this Python or on the path; None if there is none."""
    return shutil.which("mpiexec", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


@pytest.mark.mpi
def test_mpi_gives_the_same_answer_as_one_process(tmp_path):
    pytest.importorskip("mpi4py.futures", reason="mpi4py is not installed: pip install mpi4py, and an MPI")
    if (mpiexec := launcher()) is None:
        pytest.skip("there is no mpiexec to start MPI processes")
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",  # as in a container
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # three processes, however few processors
        "OMPI_MCA_btl": "self,sm",  # of one machine
    }
    words = [mpiexec, "-n", "3", sys.executable, "-m", "mpi4py.futures", "script.py"]
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    alone = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **OPTIONS)
    assert done.stdout.split(maxsplit=1) == ["2", f"{alone.x.tolist()} {alone.fun} {alone.nfev}\n"]
