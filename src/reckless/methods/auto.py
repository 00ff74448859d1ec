"""The default: the method that suits the problem best, as far as is known before the first evaluation."""

from dataclasses import dataclass

from reckless.core.task import Search, Task
from reckless.methods.registry import Entry


@dataclass(frozen=True, slots=True)
class Auto:
    """Search by ScenarioDescent where y is one of a list, by Danskin everywhere else."""

    def search(self, task: Task) -> Search:
        if task.n_scenarios is None:
            from reckless.methods.danskin import Danskin

            task.acting = "danskin"
            yield from Danskin().search(task)
        else:
            from reckless.methods.scenarios import ScenarioDescent

            chosen = ScenarioDescent(n_scenarios=task.n_scenarios)
            task.acting = repr(chosen)
            yield from chosen.search(task)


ENTRIES = {"auto": Entry(Auto, "danskin; for a list of y descend against the scenarios that matter", "this package")}
