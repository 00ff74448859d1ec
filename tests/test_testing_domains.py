"""`check_domain` catches what it is there for: each promise has a set that breaks it."""

import numpy as np
import pytest

from reckless import Ball, Box, Scenarios, Simplex
from reckless.domains.domain import Line
from reckless.testing import DOMAIN_PROMISES, check_domain
from support import refuses

NOISE = np.random.default_rng(5)


class Ladder:
    """Numbers from 2 to 6; what can be changed is what the mutants do differently."""

    n, n_out, n_scenarios, names = 1, 1, None, ()

    def from_unit(self, point):
        return 2.0 + 4.0 * point

    def rows(self, points, m):
        return 2.0 + 4.0 * (points[:m] if points.ndim == 2 else np.repeat(points[None], m, axis=0))

    def to_unit(self, rows):
        return np.clip((rows - 2.0) / 4.0, 0.0, 1.0)

    def paths(self, point, n_points, limit):
        at = np.union1d(np.linspace(2.0, 6.0, n_points), point)
        return [Line("rung", at, at[:, None], float(point[0]))]


class Pointless(Ladder):
    n_out = 0


class Nameless(Ladder):
    names = ("length", "width")


class Endless(Ladder):
    def rows(self, points, m):
        with np.errstate(divide="ignore"):
            return 1.0 / super().rows(points, m).clip(2.0, 5.9) * np.log(1.0 - super().rows(points, m) / 6.0)


class Whole(Ladder):
    def rows(self, points, m):
        return super().rows(points, len(points))


class Single(Ladder):
    def rows(self, points, m):
        return super().rows(points, m if points.ndim == 2 else 1)


class Other(Ladder):
    def from_unit(self, point):
        return 2.0 + 3.0 * point


class Wavering(Ladder):
    def rows(self, points, m):
        return super().rows(points, m) + NOISE.random()


class Kept(Ladder):
    def __init__(self):
        self.known = {}

    def rows(self, points, m):
        return self.known.setdefault((points.tobytes(), m), super().rows(points, m))


class Shared(Ladder):
    def rows(self, points, m):
        return points[:m] if points.ndim == 2 else np.repeat(points[None], m, axis=0)


class OneWay(Ladder):
    def to_unit(self, rows):
        return np.full((len(rows), 1), 0.5)


class Unclipped(Ladder):
    def to_unit(self, rows):
        return rows


class Writing(Ladder):
    def to_unit(self, rows):
        rows -= 2.0
        return rows / 4.0


class Listed(Ladder):
    n_scenarios = 3


class Flat(Ladder):
    n, n_scenarios = 2, 3


class Pathless(Ladder):
    def paths(self, point, n_points, limit):
        return []


class Falling(Ladder):
    def paths(self, point, n_points, limit):
        (path,) = super().paths(point, n_points, limit)
        return [path._replace(at=path.at[::-1])]


class Beside(Ladder):
    def paths(self, point, n_points, limit):
        (path,) = super().paths(point, n_points, limit)
        return [path._replace(rows=path.rows[::-1])]


class Leaving(Ladder):
    def paths(self, point, n_points, limit):
        return super().paths(point, n_points, limit) if limit == 1 else [Line("far", *self.far(point), float(point[0]))]

    def far(self, point):
        at = np.union1d([0.0, 9.0], point)
        return at, at[:, None]


BAD_DOMAINS = [
    ("has sizes", Pointless, "n_out must be an integer of at least 1, but is 0"),
    ("has sizes", Flat, "a list has n = 1, but n is 2"),
    ("has names", Nameless, r"n_out=1 different texts, or \(\), but is \('length', 'width'\)"),
    ("maps into finite rows", Whole, r"rows of 53 points and m=1 must have shape \(1, 1\), but have shape \(53, 1\)"),
    ("maps into finite rows", Endless, "every point must be finite, but .* becomes .*inf"),
    ("maps alike in every shape", Single, "m=3 are not 3 copies"),
    ("maps alike in every shape", Other, "from_unit and rows differ"),
    ("repeats itself", Wavering, "differ the second time"),
    ("gives fresh arrays", Kept, "return fresh arrays"),
    ("gives fresh arrays", Shared, "share memory with the points"),
    ("inverts its map", OneWay, "to_unit must invert rows"),
    ("inverts its map", Unclipped, "points .* of the unit cube"),
    ("inverts its map", Writing, "changed the rows"),
    ("lists its scenarios", Listed, "i-th of 3 equal parts of the unit interval, but there are [0-9]+ other points"),
    ("has paths through a point", Pathless, "paths must be 1 to limit=1, but are 0"),
    ("has paths through a point", Falling, "positions that do not rise"),
    ("has paths through a point", Beside, "does not go through the point"),
    ("has paths through a point", Leaving, "the path 'far' leaves the set"),
]


@pytest.mark.parametrize(("promise", "domain", "words"), BAD_DOMAINS)
def test_a_domain_that_breaks_a_promise_is_caught(promise, domain, words):
    refuses(lambda: DOMAIN_PROMISES[promise](domain()), words)
    refuses(lambda: check_domain(domain()), "^domain: ")


def test_every_promise_of_a_domain_is_broken_by_someone():
    assert {promise for promise, *_ in BAD_DOMAINS} == set(DOMAIN_PROMISES)
    refuses(lambda: check_domain(object()), "raised AttributeError .* when checked whether it has sizes")


@pytest.mark.parametrize(
    "domain",
    [
        Ladder(),
        Box([(1.0, 4.0), (-7.0, -2.0), (3.0, 3.5)]),
        Box({"gain": (0.1, 10.0, "log"), "teeth": (8, 40, "int"), "angle": (20.0, 90.0)}),
        Ball([3.0, -1.0, 5.0], [0.5, 2.0, 1.0]),
        Ball([3.0], 0.5),
        Simplex(4, 3.0),
        Scenarios([[12.0, 0.3], [7.5, 0.9], [3.0, 2.0], [4.0, 4.0], [5.0, 1.0]]),
        Scenarios([3.0]),
    ],
    ids=lambda domain: f"{type(domain).__name__} {domain.n}",
)
def test_our_domains_keep_their_promises(domain):
    check_domain(domain)
