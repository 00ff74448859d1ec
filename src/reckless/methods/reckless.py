"""Reckless: descend in x against an approximate worst-case y (Al-Dujaili et al. 2018, Algorithm 4)."""

from dataclasses import dataclass
from functools import partial
from math import ceil, floor, inf, isnan, sqrt
from typing import Any, ClassVar, Literal, NamedTuple

from reckless.core.arguments import LARGEST_SIZE, keep, read_between, read_choice, read_count, read_flag
from reckless.core.task import Search, Task
from reckless.core.words import safe_repr
from reckless.errors import InvalidArgument
from reckless.methods.levels import maximize_over_y, minimize_over_x
from reckless.methods.registry import Entry
from reckless.strategies.cma import CMAES, default_population_size
from reckless.strategies.nes import NES
from reckless.strategies.restarts import BIPOP

VARIANTS = ("N", "NR", "AN", "ANR", "C", "CR", "AC", "ACR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reckless:
    """Alternate a long search over y with a short descent in x; restart x when the descent turns back.

    descent_share: part of each round's evaluations spent on x; `s` in the paper, in (0, 0.5].
    outer: the strategy that descends in x, "cma" (C in the paper's names) or "nes" (N).
    antithetic: whether that strategy evaluates mirrored pairs (A).
    restart: draw a new x when two successive steps point away from each other (R).
    population_size: perturbations per generation on either side. None for 4 + floor(3 ln n), with a `batch_size` above
        1 the least multiple of it that is not below that.
    """

    handles: ClassVar[frozenset[str]] = frozenset({"batch_size"})
    descent_share: float = 0.5
    outer: Literal["cma", "nes"] = "cma"
    antithetic: bool = False
    restart: bool = True
    population_size: int | None = None

    def __post_init__(self) -> None:
        size = self.population_size
        keep(
            self,
            descent_share=read_between(self.descent_share, "descent_share", 0.0, 0.5, "(]"),
            outer=read_choice(self.outer, "outer", ("cma", "nes")),
            antithetic=read_flag(self.antithetic, "antithetic"),
            restart=read_flag(self.restart, "restart"),
            population_size=None if size is None else read_count(size, "population_size", 4, LARGEST_SIZE, example=20),
        )

    @classmethod
    def variant(cls, name: str, *, descent_share: float = 0.5) -> "Reckless":
        """Return the variant that the paper calls N, NR, AN, ANR, C, CR, AC or ACR."""
        letters = name.upper() if isinstance(name, str) else ""
        if letters not in VARIANTS:
            raise InvalidArgument(f"name: expected one of {', '.join(VARIANTS)}, but got {safe_repr(name)}.")
        return cls(descent_share=descent_share, **_parameters(letters))

    def search(self, task: Task) -> Search:
        size = self.population_size
        if size is None and task.batch_size > 1:
            size = task.batch_size * ceil(default_population_size(max(task.n_x, task.n_y)) / task.batch_size)
        plan = split_budget(
            task.maxfev, task.n_x, task.n_y, self.descent_share, antithetic=self.antithetic, population_size=size
        )
        inner = BIPOP(population_size=size, max_restarts=5)
        outer = (CMAES if self.outer == "cma" else NES)(population_size=size, antithetic=self.antithetic)
        x, y, step = task.random_x(), task.random_y(), None  # lines 1-4; Deviates: nothing leads before line 7
        rounds, n_whole = task.rounds(), 0  # Deviates: a round whose attack ended early, at +inf, is none of the T
        while n_whole < plan.n_rounds and next(rounds, None) is not None:  # line 5
            n_inner = min(plan.inner, task.n_left)
            y, estimate = yield from maximize_over_y(task, x, inner, start=y, n_evaluations=n_inner)  # line 6
            task.recommend_if_better(x, y, estimate)  # lines 7-10
            n_whole += estimate != inf
            n_outer = min(plan.outer, task.n_left)
            if n_outer == 0:
                continue
            x_next, value = yield from minimize_over_x(task, y, outer, start=x, n_evaluations=n_outer)  # line 11
            if value >= estimate:
                x_next = x  # Deviates: x itself takes part, its value against y is known
            turned_back = step is not None and (x_next - x) @ step <= 0.0  # line 12
            if (self.restart and turned_back) or isnan(value):  # leave an x around which everything fails
                # The check rests for the round after a restart, as the paper's text asks.
                x, y, step = task.random_x(), task.random_y(), None  # lines 13-14
            else:
                x, step = x_next, x_next - x


class Plan(NamedTuple):
    """How a budget is spent: the rounds, and the evaluations per round over y and over x."""

    n_rounds: int  # T
    inner: int  # (1 - s) v
    outer: int  # s v


def split_budget(
    maxfev: int,
    n_x: int,
    n_y: int,
    descent_share: float,
    *,
    antithetic: bool = False,
    population_size: int | None = None,
) -> Plan:
    """Apply Equation 11 with |S| = 5. Deviates: T is rounded down, v is not, as in the paper's Table 2."""
    inner_size = population_size or default_population_size(n_y)
    outer_size = (population_size or default_population_size(n_x)) * (2 if antithetic else 1)
    n_rounds = max(1, floor(sqrt(maxfev / (6 * (inner_size + 2 * descent_share * outer_size)))))
    inner = max(1, floor((1.0 - descent_share) * maxfev / n_rounds))
    return Plan(n_rounds, inner, min(floor(descent_share * maxfev / n_rounds), maxfev // n_rounds - inner))


def _parameters(letters: str) -> dict[str, Any]:
    return {"outer": "cma" if "C" in letters else "nes", "antithetic": "A" in letters, "restart": "R" in letters}


def _summary(letters: str) -> str:
    outer = "CMA-ES" if "C" in letters else "NES"
    mirrored = "antithetic " if "A" in letters else ""
    restart = ", restarting when it turns back" if "R" in letters else ""
    return f"attack by BIPOP-CMA-ES, descend in x by {mirrored}{outer}{restart}"


_entry = partial(Entry, source="Al-Dujaili et al. 2018")

ENTRIES = {
    "reckless": _entry(Reckless, "the paper's choice, the same as reckless-cr"),
    **{f"reckless-{v.lower()}": _entry(partial(Reckless, **_parameters(v)), _summary(v)) for v in VARIANTS},
}
