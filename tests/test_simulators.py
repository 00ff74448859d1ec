"""The simulators in the examples, each run where its tool is installed."""

import os
import shutil
import subprocess

import numpy as np
import pytest

from reckless.evaluation.command import Command, CommandFailed
from support import tilted_bowl

X, Y = np.array([[1.5, -6.25], [2.0, -3.0], [3.75, -2.5]]), np.array([[2.5], [5.0], [8.875]])
VALUES = tilted_bowl(X.T, Y.T).tolist()


def _example(request, name):
    return str(request.config.rootpath / "examples" / "simulators" / name)


def _awk():
    """mawk waits for more input than there is unless told otherwise; other kinds do not know that option."""
    is_mawk = "mawk" in os.path.realpath(shutil.which("awk") or "")
    return ["awk", "-W", "interactive"] if is_mawk else ["awk"]


@pytest.mark.parametrize(
    ("tool", "argv"),
    [("bash", ["bash", "bowl.sh"]), ("awk", [*_awk(), "-f", "bowl.awk"]), ("octave", ["octave", "--quiet", "bowl.m"])],
    ids=["bash", "awk", "octave"],
)
def test_the_simulators_in_the_examples_compute_the_bowl(request, tool, argv):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed, so its example cannot be run")
    with Command([*argv[:-1], _example(request, argv[-1])]) as f:
        np.testing.assert_allclose(list(map(f, X, Y)), VALUES, rtol=1e-14, atol=1e-14)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler, so the example in C cannot be built")
def test_the_simulator_in_c_computes_the_bowl_and_reports_errors(request, tmp_path):
    binary = tmp_path / "bowl"
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", binary, _example(request, "bowl.c")], check=True)
    with Command([binary]) as f:
        np.testing.assert_allclose(list(map(f, X, Y)), VALUES, rtol=1e-14, atol=1e-14)
        many = np.random.default_rng(1).random((500, 3)) * 1e-7
        expected = tilted_bowl(many[:, :2].T, many[:, 2:].T)
        np.testing.assert_allclose(list(map(f, many[:, :2], many[:, 2:])), expected, rtol=1e-12)
        with pytest.raises(CommandFailed, match="two numbers x and one number y are needed"):
            f(X[0, :1], Y[0])
