"""The default: the method that suits the problem best, as far as is known before the first evaluation."""

from dataclasses import dataclass

from reckless.core.task import Method, Search, Task
from reckless.methods.registry import Entry

MOST_EVALUATIONS = 300  # with which a surrogate is the best choice
MOST_COORDINATES = 12  # of x and y together, or of x if y is one of a list


@dataclass(frozen=True, slots=True)
class Auto:
    """Search by Surrogate with few evaluations, by Finite where y is one of a list, by Danskin elsewhere."""

    def search(self, task: Task) -> Search:
        method, task.acting = choose(task)
        yield from method.search(task)


def choose(task: Task) -> tuple[Method, str]:
    """Return the method for a task, and what to call it."""
    n = task.n_x + (task.n_y if task.n_scenarios is None else 0)
    if task.maxfev <= MOST_EVALUATIONS and n <= MOST_COORDINATES:
        from reckless.methods.surrogate import Surrogate

        return Surrogate(), "surrogate"
    if task.n_scenarios is None:
        from reckless.methods.danskin import Danskin

        return Danskin(), "danskin"
    from reckless.methods.finite import Finite

    return Finite(), "finite"


ENTRIES = {
    "auto": Entry(
        Auto,
        f"surrogate up to {MOST_EVALUATIONS} evaluations, else danskin, or finite for a list of y",
        "this package",
        handles=frozenset({"batch_size", "noise"}),
    )
}
