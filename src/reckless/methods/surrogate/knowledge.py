"""What the values say: an archive, a model of f, and models of where it fails, kept up to date at a bounded price."""

from dataclasses import dataclass, field, replace

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.methods.surrogate.archive import LARGEST, Archive
from reckless.methods.surrogate.failing import Failing, fit_failing
from reckless.methods.surrogate.model import Model, choose_model, refit
from reckless.methods.surrogate.saddle import Arena
from reckless.methods.surrogate.spaces import Space
from reckless.methods.surrogate.views import View
from reckless.methods.surrogate.warps import tamed

LEAST_VALUES = 3  # with fewer there is no model
GROWTH_TO_CHOOSE = 1.35  # of the data, until view, warp and kernel are chosen anew
GROWTH_TO_FIT = 1.08  # ... until the parameters are fitted anew
GROWTH_TO_LEARN_FAILING = 1.15
N_FAILING_STEPS = 12
MOST_POINTS = 500  # of a model
REFUSED = 3.0  # nats by which values given all others may be less likely under new parameters than under the old


@dataclass
class Knowledge:
    """Everything that was learned so far; `learn` is the only way to change it."""

    xs: Space
    ys: Space
    net: Array
    views: tuple[View, ...]
    archive: Archive
    model: Model | None = None
    guard: Failing | None = None  # of failures that are the worst case of their x
    veto: Failing | None = None  # of those that do not count
    n_chosen: int = 0  # values when view, warp and kernel were chosen
    n_fitted: int = 0
    n_guarded: int = 0
    fitted: Array = field(default_factory=lambda: np.empty(0))  # the values of the model, as it was told them

    @property
    def arena(self) -> Arena:
        assert self.model is not None
        return Arena(self.model, self.xs, self.ys, self.net, self.guard, self.veto)

    def copy(self) -> "Knowledge":
        """Return a copy that may learn something else."""
        return replace(self, archive=self.archive.copy())

    def learn(self, X: Array, Y: Array, v: Array, center: Array | None) -> None:
        """Take values of pairs. center: the x near which points matter if there are too many."""
        self.archive.add(X, Y, v)
        self._learn_failing()
        if self.archive.is_good.sum() >= LEAST_VALUES:
            self._learn_values(center)

    def believe(self, X: Array, Y: Array, v: Array) -> None:
        """Take values that were not measured, with parameters as they are."""
        assert self.model is not None
        self.archive.add(X, Y, v)
        self.model = self.model.extended(np.hstack([X, Y]), v)

    def _learn_failing(self) -> None:
        archive = self.archive
        n = len(archive.v)
        is_due = n >= GROWTH_TO_LEARN_FAILING * self.n_guarded
        for name, failed in (("guard", archive.is_fatal), ("veto", archive.is_unknown)):
            last: Failing | None = getattr(self, name)
            if failed.any():
                n_steps = N_FAILING_STEPS if is_due or last is None else 0
                theta = None if last is None else last.theta
                seen = slice(-MOST_POINTS, None)
                labeled = self.ys.points is not None
                setattr(self, name, fit_failing(archive.Q[seen], failed[seen], theta, n_steps, labeled))
        self.n_guarded = n if is_due else self.n_guarded

    def _learn_values(self, center: Array | None) -> None:
        """Choose anew when the data has grown much, fit anew when it has grown a little, else append."""
        rows = self._rows_that_matter(center)
        Q, v = self.archive.Q[rows], tamed(np.clip(self.archive.v[rows], -LARGEST, LARGEST))
        n, old = int(self.archive.is_good.sum()), self.model
        is_outside = old is not None and not old.warp.covers(v)
        if old is None or is_outside or n >= GROWTH_TO_CHOOSE * self.n_chosen:
            new = choose_model(Q, v, self._level_of_interest(v), self.views, None if is_outside else old)
            self.n_chosen = self.n_fitted = n
            self.model = new if old is None or is_outside else _better(new, self._same(old, Q, v))
        elif n >= GROWTH_TO_FIT * self.n_fitted:
            self.n_fitted = n
            self.model = _better(refit(old, Q, v), self._same(old, Q, v))
        else:
            self.model = self._same(old, Q, v)
        self.fitted = v

    def _same(self, old: Model, Q: Array, v: Array) -> Model:
        """Return the old model with all values; by rows, if they only became more."""
        n = len(self.fitted)
        if n < len(v) and np.array_equal(v[:n], self.fitted):
            return old.extended(Q[n:], v[n:])
        return refit(old, Q, v, 0)

    def _rows_that_matter(self, center: Array | None) -> Indices:
        """Return the good rows, or those nearest to the center in x if they are too many for a model."""
        rows = np.flatnonzero(self.archive.is_good)
        if len(rows) <= MOST_POINTS or center is None:
            return rows
        far = np.abs(self.archive.X[rows] - center).max(axis=1)
        return np.sort(rows[np.argsort(far, kind="stable")[:MOST_POINTS]])

    def _level_of_interest(self, v: Array) -> float:
        """Return the lowest worst case known, of an x with more than one value."""
        places = self.archive.places()
        worst = places.worst[(places.counts > 1) & np.isfinite(places.worst)]
        return float(worst.min() if len(worst) else np.median(v))


def _better(new: Model, old: Model) -> Model:
    """Return the new model, unless it predicts each value from the others clearly worse than the old one did."""
    return old if new.loo_score() < old.loo_score() - REFUSED else new
