"""The experiments of the paper as studies, and its Table 2."""

from typing import NamedTuple

from reckless.bench.study import Study
from reckless.errors import InvalidArgument
from reckless.methods.reckless import VARIANTS, split_budget

PROBLEMS = ("L1", "L2", "L3", "L4", "L5", "L6")
FILTERS = ("filter", "filter-signed")
BUDGETS = (100, 1_000, 10_000, 100_000)
REPETITIONS = 60
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
SIZES = (2, 5, 10, 15, 20, 40, 50)
BUDGET_PER_DIMENSION = 10_000

STEPS = tuple(f"reckless-n:descent_share={share}" for share in SHARES)
VARIANT_METHODS = tuple(f"reckless-{letters.lower()}" for letters in VARIANTS)
RECKLESS, MMDE, ALTERNATING, PARALLEL = "reckless-cr", "mmde", "coevolution-alternating", "coevolution-parallel"
RIVALS = (RECKLESS, MMDE, ALTERNATING, PARALLEL)

# What `reckless paper --quick` runs; its cells are cells of the full study, except for the filter's.
QUICK_REPETITIONS = 3
QUICK_BUDGETS = BUDGETS[:3]
QUICK_SIZES = SIZES[:3]
QUICK_STATEMENT = (
    f"{QUICK_REPETITIONS} of {REPETITIONS} runs, budgets up to {QUICK_BUDGETS[-1]:,} of {BUDGETS[-1]:,} "
    f"evaluations, scalability up to n = {QUICK_SIZES[-1]} of {SIZES[-1]}"
)

EXPERIMENTS = ("steps", "variants", "convergence", "scalability", "filter")


def sized(name: str, n: int) -> str:
    """Spell a problem in n dimensions."""
    return f"{name}:n={n}"


def experiments(*, quick: bool = False) -> tuple[Study, ...]:
    """Return the five experiments in the order of `EXPERIMENTS`; if `quick`, the fraction in QUICK_STATEMENT.

    >>> [study.name for study in experiments()]
    ['steps', 'variants', 'convergence', 'scalability', 'filter']
    """
    budgets = QUICK_BUDGETS if quick else BUDGETS
    repetitions = QUICK_REPETITIONS if quick else REPETITIONS
    studies = [
        Study(name=name, problems=PROBLEMS, methods=methods, budgets=budgets, repetitions=repetitions)
        for name, methods in (("steps", STEPS), ("variants", VARIANT_METHODS), ("convergence", RIVALS))
    ]
    scalability = Study(
        name="scalability",
        problems=tuple(sized(name, n) for name in PROBLEMS[:2] for n in (QUICK_SIZES if quick else SIZES)),
        methods=RIVALS,
        budgets_per_dimension=(BUDGET_PER_DIMENSION,),
        repetitions=repetitions,
    )
    filters = Study(name="filter", problems=FILTERS, methods=RIVALS, budgets=budgets[-1:], repetitions=repetitions)
    return (*studies, scalability, filters)


def experiment(name: str, *, quick: bool = False) -> Study:
    """Return one of the experiments by its name."""
    if name not in EXPERIMENTS:
        raise InvalidArgument(f"experiment: expected one of {', '.join(EXPERIMENTS)}, but got {name!r}.")
    return experiments(quick=quick)[EXPERIMENTS.index(name)]


class BudgetSplit(NamedTuple):
    """A row of the paper's Table 2: rounds T, and the evaluations of a round for y, (1 - s) v, and x, s v."""

    share: float
    budget: int
    n_rounds: int
    inner: int
    outer: int


def table_2() -> list[BudgetSplit]:
    """Compute Table 2 by our budget rule for n_x = n_y = 5, which reproduces the printed numbers."""
    return [
        BudgetSplit(share, budget, *split_budget(budget, 5, 5, share))
        for budget in (BUDGETS[0], BUDGETS[-1])
        for share in SHARES
    ]


# What the paper prints: rounds, evaluations for y, evaluations for x.
TABLE_2_PRINTED = (
    *(BudgetSplit(share, 100, 1, round(100 - 100 * share), round(100 * share)) for share in SHARES),
    BudgetSplit(0.1, 100_000, 41, 2195, 243),
    BudgetSplit(0.2, 100_000, 38, 2105, 526),
    BudgetSplit(0.3, 100_000, 36, 1944, 833),
    BudgetSplit(0.4, 100_000, 34, 1764, 1176),
    BudgetSplit(0.5, 100_000, 32, 1562, 1562),
)
