"""What a run tells whoever shows how far it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, Protocol


class Watcher(Protocol):
    """Is told how far a run has come; called with every value of a slow f, so it should be quick."""

    def begin(self, n_evaluations: int) -> None:
        """Take how many evaluations may be made, those of a verification included."""

    def count(self, n_evaluations: int) -> None:
        """Take how many evaluations were made so far."""

    def recommend(self, estimate: float) -> None:
        """Take the estimate of a new recommendation."""

    def verify(self) -> None:
        """Take that the search is over, and its answer is verified."""


@contextmanager
def watching(progress: Literal["lines"] | bool) -> Iterator[Watcher | None]:
    """Show on stderr how far a run is while the block runs, and yield whom to tell; None if nobody would see it."""
    if not progress:
        yield None
        return
    from reckless.run.progress import showing  # which draws, so it is loaded only if asked for

    with showing(progress) as watcher:
        yield watcher
