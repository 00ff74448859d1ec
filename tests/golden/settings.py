"""Build what the traced runs minimize: a function, two domains, and the options that belong to them.

A spelling is that of a benchmark problem ("L1", "f5:n=3,n_y=5"), of an own one ("bowl"), or either with another domain
after a slash ("L1/ball"). Nothing here comes from the other tests, so that the tier also runs on another checkout.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np

import reckless
from reckless.bench.problems import problem

Scalar = Callable[[np.ndarray, np.ndarray], float]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Hold one problem as `minimax` takes it. optimum: the best worst case, if it is known."""

    f: Scalar
    x_bounds: Any
    y_bounds: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    optimum: float | None = None


def build_setting(spelling: str) -> Setting:
    """Build a setting afresh, so that a noisy one draws the same numbers in every run."""
    name, _, domain = spelling.partition("/")
    setting = OWN[name]() if name in OWN else _benchmark(name)
    return DOMAINS[domain](setting) if domain else setting


def fraction(x: np.ndarray, y: np.ndarray, salt: str = "") -> float:
    """Return a number in [0, 1) that depends on nothing but the pair's bytes and the salt."""
    digest = blake2b(x.tobytes() + y.tobytes() + salt.encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big") / 2.0**48


def _benchmark(name: str) -> Setting:
    found = problem(name)

    def f(x: np.ndarray, y: np.ndarray) -> float:
        return float(found.function(x[None], y[None])[0])

    return Setting(f=f, x_bounds=found.x_bounds, y_bounds=found.y_bounds, optimum=found.optimum.value)


def _tilted_bowl(x: np.ndarray, y: np.ndarray) -> float:
    """Return the height of a bowl whose saddle is at x = (2, -3), y = 5, with value 0."""
    return (x[0] - 2.0) ** 2 + (x[1] + 3.0) ** 2 + 0.5 * (x[0] - 2.0) * (y[0] - 5.0) - (y[0] - 5.0) ** 2


def _bowl() -> Setting:
    return Setting(f=_tilted_bowl, x_bounds=[(1.0, 4.0), (-7.0, -2.0)], y_bounds=[(2.0, 9.0)], optimum=0.0)


def _bowl_with_noise() -> Setting:
    def f(x: np.ndarray, y: np.ndarray) -> float:
        return float(_tilted_bowl(x, y) + 0.1 * (fraction(x, y, "noise") - 0.5))

    return replace(_bowl(), f=f)


def _bowl_with_uneven_noise() -> Setting:
    """Build a bowl under noise from a generator, which is the stronger the closer x is to the optimum."""
    rng = np.random.default_rng(12)

    def f(x: np.ndarray, y: np.ndarray) -> float:
        distance = (x[0] - 2.0) ** 2 + (x[1] + 3.0) ** 2
        return float(_tilted_bowl(x, y) + 0.3 / (1.0 + 10.0 * distance) * rng.standard_normal())

    return replace(_bowl(), f=f)


def _corners_with_noise(n: int = 9) -> Setting:
    """Build a problem whose worst y are corners, of equal height at x = (1, ..., 1), under noise from a generator."""
    rng = np.random.default_rng(11)

    def f(x: np.ndarray, y: np.ndarray) -> float:
        return float((x - 1.0) @ (x - 1.0) + (x - 1.0) @ y + y @ y + 0.02 * rng.standard_normal())

    return Setting(f=f, x_bounds=[(0.5, 3.0)] * n, y_bounds=[(-1.0, 1.0)] * n, optimum=float(n))


def _dents(point: np.ndarray) -> float:
    """Return the height of a landscape with a sharp dent around 1 and a wide one around 4."""
    sharp, wide = 8.0 * np.abs(point - 1.0).sum(), 1.0 + ((point - 4.0) ** 2).sum()
    return float(min(sharp, wide))


def _perturbed(n: int, shape: str) -> Setting:
    x_bounds = [(0.5, 6.0)] * n
    f, y_bounds = reckless.perturbation(_dents, x_bounds, 0.5, shape=shape)
    return Setting(f=f, x_bounds=x_bounds, y_bounds=y_bounds)


OWN: dict[str, Callable[[], Setting]] = {
    "bowl": _bowl,
    "bowl-noise": _bowl_with_noise,
    "uneven-noise": _bowl_with_uneven_noise,
    "corners-noise": _corners_with_noise,
    "dents-1": lambda: _perturbed(1, "box"),
    "dents-3": lambda: _perturbed(3, "box"),
    "dents-ball": lambda: _perturbed(2, "ball"),
}


def _center_and_reach(bounds: Any) -> tuple[np.ndarray, np.ndarray]:
    lower, upper = np.array(bounds, dtype=float).T
    return 0.45 * lower + 0.55 * upper, 0.3 * (upper - lower)


def _few_points(bounds: Any, n_points: int) -> reckless.Scenarios:
    center, reach = _center_and_reach(bounds)
    offsets = np.random.default_rng(5).uniform(-1.0, 1.0, (n_points, center.size))
    return reckless.Scenarios(center + reach * offsets)


def _simplex(bounds: Any) -> reckless.Simplex:
    return reckless.Simplex(len(bounds), 7.0)


DOMAINS: dict[str, Callable[[Setting], Setting]] = {
    "ball": lambda s: replace(s, y_bounds=reckless.Ball(*_center_and_reach(s.y_bounds))),
    "simplex": lambda s: replace(s, y_bounds=_simplex(s.y_bounds)),
    "scenarios": lambda s: replace(s, y_bounds=_few_points(s.y_bounds, 12)),
    "long-list": lambda s: replace(s, y_bounds=_few_points(s.y_bounds, 300)),
    "x-ball": lambda s: replace(s, x_bounds=reckless.Ball(*_center_and_reach(s.x_bounds))),
    "x-simplex": lambda s: replace(s, x_bounds=_simplex(s.x_bounds)),
    "x-integers": lambda s: replace(s, options={"x_integrality": True}),
    "some-integers": lambda s: replace(s, options={"x_integrality": [i == 0 for i in range(len(s.x_bounds))]}),
    "y-integers": lambda s: replace(s, options={"y_integrality": True}),
}
