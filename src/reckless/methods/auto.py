"""The default: a surrogate finds the valley, a trust-region method finishes it.

    scout     the surrogate, until it has come to rest and sees no hope elsewhere, or took its share
    descend   Danskin, or Finite for a list of y, from the surrogate's answer with the model's maximizers there
    close     attacks on the answer with what was kept, by whoever has the word

It goes by evaluations used, dimensions and kinds of sets alone. With more coordinates than a surrogate can learn, and
where it knows nothing, the second method begins by itself.
"""

from dataclasses import dataclass
from typing import ClassVar

from reckless.core.task import BEGINNING, Handover, Method, Task
from reckless.methods.registry import Entry

MOST_COORDINATES = 12  # of x and y together, or of x if y is one of a list


@dataclass(frozen=True, slots=True)
class Auto:
    """Search by Surrogate, then by Finite where y is one of a list, by Danskin elsewhere."""

    handles: ClassVar[frozenset[str]] = frozenset({"batch_size", "extension", "noise", "tol", *BEGINNING})

    def search(self, task: Task) -> Handover:
        from reckless.methods.surrogate.surrogate import scout

        method, name = finisher(task)
        n = task.n_x + (task.n_y if task.n_scenarios is None else 0)
        if n <= MOST_COORDINATES:
            task.begin_stage("surrogate")
            given = task.starts
            scouted = yield from scout(task)
            task.starts = given if scouted is None else scouted._replace(kept=None if given is None else given.kept)
            if task.n_left <= 0:
                return None
        task.begin_stage(name)
        return (yield from method.search(task))


def finisher(task: Task) -> tuple[Method, str]:
    """Return the method that descends, and its name; it keeps as much for its closing as the surrogate does."""
    from reckless.methods.surrogate.surrogate import CLOSE_SHARE

    if task.n_scenarios is None:
        from reckless.methods.danskin import Danskin

        return Danskin(reserve_share=CLOSE_SHARE), "danskin"
    from reckless.methods.finite import Finite

    return Finite(reserve_share=CLOSE_SHARE), "finite"


ENTRIES = {"auto": Entry(Auto, "surrogate, then danskin, or finite for a list of y", "this package")}
