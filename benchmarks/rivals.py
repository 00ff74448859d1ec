"""What people do today, in ten lines each: nested searches, a growing list of y, two populations by turns.

A rival plays on unit cubes, and every evaluation is counted. It names an answer whenever it has a better one, and plays
on until `Spent` is raised. A failed pair is worth FAILED, the worst that a value can be.
"""

from collections.abc import Callable
from contextlib import suppress

import numpy as np
from scipy.optimize import differential_evolution, minimize

from reckless.bench.problems.problem import Problem
from reckless.domains.reading import read_domain
from reckless.strategies.cma import CMAES

FAILED = 1e9
INNER = {"popsize": 5, "maxiter": 3, "polish": False}  # of a search for the worst y
STEP = 1e-4  # of differences, in units of the box
N_STARTS = 5  # random y per coordinate, from the best of which a search climbs
N_GENERATIONS = 3  # of one player, until the other has the word


class Spent(Exception):
    """The evaluations are spent."""


class Game:
    """f on unit cubes with a budget of evaluations, and the best x named so far."""

    def __init__(self, problem: Problem, budget: int, seed: int) -> None:
        self.f, self.left, self.rng = problem.function, budget, np.random.default_rng(seed)
        self.xs, self.ys = read_domain(problem.x_bounds, "x_bounds"), read_domain(problem.y_bounds, "y_bounds")
        self.n_x, self.n_y = self.xs.n, self.ys.n
        self.answer, self.best = self.rng.random(self.n_x), np.inf

    def values(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """f at rows of two unit cubes, one row standing for many; as far as the budget goes."""
        m = max(len(X), len(Y))
        if self.left < m:
            raise Spent
        self.left -= m
        with np.errstate(all="ignore"):
            values = self.f(*(d.rows(np.broadcast_to(Z, (m, d.n)), m) for d, Z in ((self.xs, X), (self.ys, Y))))
        return np.where(np.isfinite(values), values, FAILED)

    def value(self, u: np.ndarray, v: np.ndarray) -> float:
        return float(self.values(np.clip(u, 0.0, 1.0)[None], np.clip(v, 0.0, 1.0)[None])[0])

    def name(self, u: np.ndarray, worst: float) -> None:
        """Name an answer with its worst case, which counts if it is lower than those before."""
        if worst < self.best:
            self.answer, self.best = np.clip(u, 0.0, 1.0), worst

    def climb(self, u: np.ndarray) -> tuple[np.ndarray, float]:
        """Look for the worst y of an x: L-BFGS-B from the best of a sample."""
        V = self.rng.random((N_STARTS * self.n_y, self.n_y))
        start = V[self.values(u[None], V).argmax()]
        found = descend(lambda v: -self.value(u, v), start)
        return np.clip(found.x, 0.0, 1.0), -float(found.fun)


def descend(f: Callable[[np.ndarray], float], start: np.ndarray):
    return minimize(f, start, method="L-BFGS-B", bounds=[(0.0, 1.0)] * start.size, options={"eps": STEP})


def nested_de(game: Game) -> None:
    """Differential evolution over x, on the worst case by differential evolution over y."""

    def worst(u: np.ndarray) -> float:
        bounds = [(0.0, 1.0)] * game.n_y
        found = differential_evolution(lambda v: -game.value(u, v), bounds, seed=game.rng, **INNER)
        game.name(u, -float(found.fun))
        return -float(found.fun)

    while True:
        differential_evolution(worst, [(0.0, 1.0)] * game.n_x, seed=game.rng, popsize=5, polish=False)


def nested_lbfgsb(game: Game) -> None:
    """L-BFGS-B over x, on the worst case by L-BFGS-B over y, from random x."""
    last = np.full(game.n_y, 0.5)

    def worst(u: np.ndarray) -> float:
        nonlocal last
        found = descend(lambda v: -game.value(u, v), last)
        last = np.clip(found.x, 0.0, 1.0)
        game.name(u, -float(found.fun))
        return -float(found.fun)

    while True:
        last = game.rng.random(game.n_y)
        descend(worst, game.rng.random(game.n_x))


def growing_list(game: Game) -> None:
    """SLSQP on the largest of f over a list of y; the worst y of its answer joins the list."""
    while True:
        u, Y = game.rng.random(game.n_x), [game.rng.random(game.n_y)]
        known = -np.inf
        for _ in range(20):
            start = np.append(u, game.values(u[None], np.array(Y)).max())
            found = minimize(
                lambda z: z[-1],
                start,
                method="SLSQP",
                bounds=[(0.0, 1.0)] * game.n_x + [(None, None)],
                constraints={"type": "ineq", "fun": lambda z, Y=Y: z[-1] - game.values(z[None, :-1], np.array(Y))},
                options={"eps": STEP},
            )
            u = np.clip(found.x[:-1], 0.0, 1.0)
            v, worst = game.climb(u)
            game.name(u, worst)
            if worst <= known:
                break
            known = float(found.x[-1])
            Y.append(v)


def alternating_cma(game: Game) -> None:
    """CMA-ES over x against the last y, CMA-ES over y against the last x, and so on."""
    u, v = game.rng.random(game.n_x), game.rng.random(game.n_y)

    def play(start: np.ndarray, values: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, float]:
        size = 4 + int(3.0 * np.log(start.size))
        search = CMAES().search(start, N_GENERATIONS * size, game.rng)
        try:
            points = next(search)
            while True:
                points = search.send(values(points))
        except StopIteration as end:
            return end.value.point, end.value.value

    while True:
        u, _ = play(u, lambda U, v=v: game.values(U, v[None]))
        v, worst = play(v, lambda V, u=u: -game.values(u[None], V))
        game.name(u, -worst)


RIVALS: dict[str, Callable[[Game], None]] = {
    "nested DE": nested_de,
    "nested L-BFGS-B": nested_lbfgsb,
    "SLSQP, growing list": growing_list,
    "alternating CMA-ES": alternating_cma,
}


def answer_of(name: str, problem: Problem, budget: int, seed: int) -> np.ndarray:
    """Let a rival play until its evaluations are spent; return the x that it names."""
    game = Game(problem, budget, seed)
    with suppress(Spent):
        RIVALS[name](game)
    return game.xs.rows(game.answer[None], 1)[0]
