"""What tests that start and kill processes share."""

import time

import numpy as np


def wait_until(is_true, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(pid):
    """Return whether a process is there and not just waiting to be cleared away."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def same(one, other):
    """Return whether two runs had the same result, bit for bit."""
    return (
        np.array_equal(one.x, other.x)
        and np.array_equal(one.y, other.y)
        and (one.fun, one.nfev, one.nit, one.n_failed, one.message)
        == (other.fun, other.nfev, other.nit, other.n_failed, other.message)
        and len(one.history) == len(other.history)
    )
