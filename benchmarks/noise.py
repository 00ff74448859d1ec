"""Measure what errors of simulators cost: adaptive integrators and quadrature at loose tolerances, an accurate referee.

python benchmarks/noise.py                             the project's own tasks, seeds 1 to 3
python benchmarks/noise.py --seeds 4 --method danskin  seeds 1 to 4, another method
python benchmarks/noise.py --tasks DIR                 the tasks of DIR/tasks.py: TASKS, with unit, worst, best

A regret is (F(x) - best) / best by the referee, which integrates with a tolerance of 1e-10. The integrator's own bias
is the regret of the optimum of f at its tolerance: of the lowest of these runs and a longer one. About 6 minutes.
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import minimize_scalar

from reckless import minimax

EXACT = 1e-10  # tolerance of the referee
START = [0.3, 0.0, 0.0]  # angle, speed, cost so far


def pendulum(x, y, rtol, solver):
    """Swing of a driven pendulum and its effort; stiffness and damping are x, y is the frequency that drives it."""
    k, c, w = 0.5 + 3.0 * x[0], 0.1 + 4.0 * x[1], 0.5 + 2.0 * y[0]

    def rate(t, s):
        torque = k * s[0] + c * s[1]
        return [s[1], -k * np.sin(s[0]) - c * s[1] + 0.8 * np.cos(w * t), s[0] ** 2 + torque**2]

    return 1.0 + float(solve_ivp(rate, (0.0, 10.0), START, method=solver, rtol=rtol, atol=1e-2 * rtol).y[2, -1])


def filtered(x, y, rtol, solver):
    """Absolute error of a filter against a tone of frequency y, as an adaptive integral; its decay and gain are x.

    The integrand has kinks, so that the error of the rule moves with x and y.
    """
    a, b, w = 0.2 + 2.0 * x[0], 0.05 + 0.3 * x[1], 1.0 + 8.0 * y[0]

    def density(t):
        return abs(np.exp(-a * t) * np.cos(w * t) - b * np.exp(-t)) + 0.02 * (a * np.sin(3.0 * t)) ** 2

    return 1.0 + 5.0 * float(quad(density, 0.0, 6.0, epsrel=rtol, epsabs=0.0, limit=200)[0])


@dataclass(frozen=True)
class Simulator:
    """f on unit cubes, x with 2 coordinates and y with 1, integrated by one solver; best by the referee."""

    f: Callable[..., float]
    solver: str
    n_x: int = 2
    n_y: int = 1

    def unit(self, rtol):
        solver = self.referee if rtol == EXACT else self.solver
        return lambda X, Y: np.array([self.f(x, y, rtol, solver) for x, y in zip(X, Y, strict=True)])

    @property
    def referee(self):
        return "DOP853" if self.solver else ""

    def worst(self, x):
        """Return the worst case at x and its y: a net, then Brent's method around the best three points."""

        def loss(t):
            return -self.f(x, [t], EXACT, self.referee)

        net = np.linspace(0.0, 1.0, 41)
        values = np.array([loss(t) for t in net])
        found = [(values.min(), net[values.argmin()])]
        for i in np.argsort(values)[:3]:
            bounds = net[max(i - 1, 0)], net[min(i + 1, net.size - 1)]
            peak = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-7})
            found.append((peak.fun, peak.x))
        value, t = min(found)
        return -value, np.array([t])

    @cached_property
    def best(self):
        """The lowest worst case of two runs at the referee's tolerance."""
        return min(self.worst(solve(self, EXACT, "danskin", 600, seed).x)[0] for seed in (1, 2))


def solve(task, rtol, method, maxfev, seed):
    boxes = [(0.0, 1.0)] * task.n_x, [(0.0, 1.0)] * task.n_y
    return minimax(task.unit(rtol), *boxes, maxfev=maxfev, method=method, rng=seed, vectorized=True)


TASKS = {
    "pendulum, RK45": Simulator(pendulum, "RK45"),
    "pendulum, LSODA": Simulator(pendulum, "LSODA"),
    "filter, quad": Simulator(filtered, ""),
}


def tasks_in(folder):
    sys.path.insert(0, str(Path(folder).resolve()))
    from tasks import TASKS as given

    return given


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="danskin")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--maxfev", type=int, default=2000)
    parser.add_argument("--long", type=int, default=6000, help="evaluations of the run that shows the bias")
    parser.add_argument("--rtols", type=float, nargs="+", default=[1e-3, 1e-5])
    parser.add_argument("--tasks", metavar="DIR")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # quad says when it misses its tolerance
    print(
        "| task | rtol | largest regret | median | the integrator's bias | runs above .2 |\n|---|---|---|---|---|---|"
    )
    for name, task in (tasks_in(given.tasks) if given.tasks else TASKS).items():
        for rtol in given.rtols:
            runs = [solve(task, rtol, given.method, given.maxfev, given.first + k) for k in range(given.seeds)]
            regrets = np.array([task.worst(run.x)[0] / task.best - 1.0 for run in runs])
            longer = solve(task, rtol, given.method, given.long, given.first + given.seeds)
            lowest = min([longer, *runs], key=lambda run: run.fun)
            own = task.worst(lowest.x)[0] / task.best - 1.0
            row = f"{regrets.max():.1e} | {np.median(regrets):.1e} | {own:.1e} | {int((regrets > 0.2).sum())}"
            print(f"| {name} | {rtol:.0e} | {row} |", flush=True)


if __name__ == "__main__":
    main()
