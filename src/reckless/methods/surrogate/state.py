"""One search at work: what is known, what is believed, and the questions that follow from it."""

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.surrogate.answer import Answer, best_answer, highest_mean
from reckless.methods.surrogate.archive import LARGEST
from reckless.methods.surrogate.climbing import joined
from reckless.methods.surrogate.knowledge import Knowledge
from reckless.methods.surrogate.model import Model
from reckless.methods.surrogate.saddle import Solution

T = TypeVar("T")
Asking = Generator[tuple[Array, Array], Array, T]  # yields pairs in model coordinates, receives their values

SURE = 1e-9  # a standard deviation below this, in levels: the model knows the value
TOLD = 0.9  # squared correlation above which one value tells the other


class Prediction(NamedTuple):
    """What the model said of a pair before it was evaluated, and what came.

    z: the error in standard deviations of the model. error: the same in standard deviations of its values.
    """

    z: float
    error: float


class Attack(NamedTuple):
    """A closing attack on x: by how much it found more than was known, what is still feared, and how much y matters.

    All of them as values. doubt: by how much the upper bound is above what is known, after the attack.
    """

    x: Array
    excess: float
    doubt: float
    spread: float


@dataclass
class State:
    """The state of one run.

    x_hat: the model's minimax. found (k, n_y): its maximizers. moves: how far x_hat went in each round. n_idle: rounds
    in a row in which the model was sure of all that matters. predictions: of the pairs that were evaluated to learn
    about the best x, exploration not counted. n_left: evaluations that the present part of the run may still make.
    attacks: of the closing. given (m, n_x): designs of the user's. held: the minimax solutions, by the x that was
    measured for each.
    """

    known: Knowledge
    rng: np.random.Generator
    n_left: int
    is_noisy: bool = False
    is_tested: bool = False  # for noise
    is_dream: bool = False
    is_closing: bool = False
    is_hurried: bool = False  # there is no budget for caution and exploration
    answer: Answer | None = None
    x_hat: Array | None = None
    found: Array = field(default_factory=lambda: np.empty((0, 0)))
    moves: list[float] = field(default_factory=list)
    n_idle: int = 0
    predictions: list[Prediction] = field(default_factory=list)
    attacks: list[Attack] = field(default_factory=list)
    given: Array = field(default_factory=lambda: np.empty((0, 0)))
    held: dict[bytes, Solution] = field(default_factory=dict)

    def ask(self, X: Array, Y: Array, *, is_probe: bool = False) -> Asking[None]:
        """Evaluate pairs, as far as the budget allows, and learn. is_probe: no prediction is at stake."""
        X, Y = X[: self.n_left], Y[: self.n_left]
        if not len(X):
            return
        model, Q = self.known.model, np.hstack([X, Y])
        foreseen = None if model is None or is_probe else (model, model.mean(Q), model.sd(Q))
        values = yield X, Y
        self.n_left -= len(values)
        if self.is_dream:
            self.known.believe(X, Y, values)
            self._choose()
            return
        if foreseen is not None:
            self._judge(*foreseen, values)
        self.learn(X, Y, values)

    def learn(self, X: Array, Y: Array, values: Array) -> None:
        """Take values of pairs, whoever asked for them."""
        self.known.learn(X, Y, values, None if self.answer is None else self.answer.x)
        self._choose()

    def _choose(self) -> None:
        self.answer = best_answer(self.known, self.found, self.is_noisy, self.answer if self.is_closing else None)

    def ask_at(self, x: Array, y: Array, *, is_probe: bool = False) -> Asking[None]:
        """Evaluate one pair, and learn."""
        yield from self.ask(x[None], y[None], is_probe=is_probe)

    def dreaming(self, n: int) -> "State":
        """Return a copy that believes the model in place of measuring, for n pairs."""
        return replace(self, known=self.known.copy(), is_dream=True, n_left=n, moves=[], predictions=[])

    def _judge(self, model: Model, mean: Array, sd: Array, values: Array) -> None:
        spread = float(np.std(self.known.fitted)) or 1.0
        for m, s, v in zip(mean.tolist(), sd.tolist(), values.tolist(), strict=True):
            if np.isfinite(v):
                z = (float(model.level(v)) - m) / max(float(np.hypot(s, model.noise)), 1e-12)
                z = min(max(z, -LARGEST), LARGEST)
                self.predictions.append(Prediction(z, abs(v - float(model.value(m))) / spread))

    def is_news(self, x: Array, y: Array, sure: float = SURE) -> bool:
        """Tell whether a pair would tell something: it was not evaluated, and the model is not sure of it."""
        assert self.known.model is not None
        if not self.is_noisy and self.known.archive.has(x, y):
            return False
        return bool(self.known.model.sd(joined(x, y[None]))[0] > sure)

    def is_refuted(self, x: Array) -> bool:
        """Tell whether more was measured at x than at the answer."""
        if self.answer is None or np.array_equal(self.answer.x, x) or not self.known.archive.at(x).any():
            return False
        highest = self.known.archive.highest_at(x)
        if self.is_noisy and np.isfinite(highest):
            highest = highest_mean(self.known, x)[1]
        return highest > self.answer.fun

    def told_apart(self, x: Array, Y: Array) -> Array:
        """Drop those y at x of which the ones before tell most."""
        assert self.known.model is not None
        C = self.known.model.covariance(joined(x, Y)) if len(Y) > 1 else np.eye(len(Y))
        kept: list[int] = []
        for i in range(len(Y)):
            if all(C[i, j] ** 2 < TOLD * C[i, i] * C[j, j] for j in kept):
                kept.append(i)
        return Y[kept]

    def candidates(self) -> Array:
        """Return the net of y with the maximizers found last."""
        return self.known.net if self.known.ys.points is not None else np.vstack([self.known.net, self.found])

    def some(self, m: int) -> Array:
        """Return about m candidates of y at random, and the maximizers found last."""
        net = self.known.net
        return np.vstack([net[self.rng.permutation(len(net))[:m]], self.found])
