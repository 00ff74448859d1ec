"""Objectives that misbehave, for tests; each counts its calls in files, so that other processes can be counted too."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from support import tilted_bowl

# Worker processes import this module, so it imports nothing heavy.


def slow_bowl(x, y):
    """Slow enough to be worth a process."""
    time.sleep(0.0005)
    return tilted_bowl(x, y)


def crash_at_three(k):
    """Say how many threads there may be; a task for a pool."""
    if k == 3:
        os._exit(7)
    return f"{k} {os.environ['OMP_NUM_THREADS']}"


def l1(x, y):
    """Problem L1: a saddle at 5, 5, ..., where it is 0."""
    return float(np.sum((x - 5.0) ** 2) - np.sum((y - 5.0) ** 2))


def raises_at_small_x(x, y):
    if x[0] < 1.5:
        raise ArithmeticError("the mesh is tangled")
    return tilted_bowl(x, y)


class Counted:
    """A function that leaves one line per call in a file: its arguments, in hexadecimal."""

    def __init__(self, path, f):
        self.path, self.f = Path(path), f

    def __call__(self, x, y):
        with open(self.path, "ab") as file:
            file.write(f"{x.tobytes().hex()} {y.tobytes().hex()}\n".encode())
        return self.f(x, y)

    def calls(self):
        return self.path.read_text().splitlines() if self.path.exists() else []


class Murderous:
    """An objective whose worker is killed, once, when so many calls were made wherever they were made."""

    def __init__(self, counted, n, flag):
        self.counted, self.n, self.flag = counted, n, str(flag)

    def __call__(self, x, y):
        value = self.counted(x, y)
        if len(self.counted.calls()) >= self.n and self.is_first():
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    def is_first(self):
        try:
            os.close(os.open(self.flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True


class Flaky:
    """L1 by a simulator that, depending on the pair alone, raises, returns NaN or hangs; and once it crashes."""

    def __init__(self, path, *, hang_share=0.01):
        self.flag, self.hang_share = Path(path), hang_share

    def __call__(self, x, y):
        if not self.flag.exists():
            self.flag.touch()
            os.kill(os.getpid(), signal.SIGSEGV)
        share = np.random.default_rng(np.concatenate((x, y)).view(np.uint64)).random()
        if share < 0.1:
            raise ArithmeticError("the mesh is tangled")
        if share < 0.2:
            return float("nan")
        if share < 0.2 + self.hang_share:
            time.sleep(1000.0)
        return l1(x, y)


def scaled(x, y, scale, offset=0.0):
    """A saddle with further arguments."""
    return scale * ((x[0] - 2.0) ** 2 - (y[0] - 3.0) ** 2) + offset


def named(x, y):
    """A saddle at R = e^3, C = 2.2, n = 4 and load = 5."""
    return (np.log(x.R) - 3.0) ** 2 + abs(x.C - 2.0) + (x.n - 4.0) ** 2 - (y.load - 5.0) ** 2 + (x.T - 293.0)
