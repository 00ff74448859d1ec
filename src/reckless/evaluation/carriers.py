"""How parcels reach workers that are not ours: through an executor or a map."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any

from reckless.errors import InvalidArgument, ObjectiveFailed
from reckless.evaluation.pool import Delivery, Parcel, Pool
from reckless.evaluation.wire import fault_in

LONGEST_WAIT = 3600.0  # seconds; operating systems do not take just any number
MapLike = Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]]


class ExecutorCarrier:
    """Any `concurrent.futures.Executor`: Dask, MPI, Ray, threads. n_workers is None if it does not say."""

    is_isolated = False

    def __init__(self, task: Callable[[Any], Any], executor: Executor) -> None:
        self._task, self._executor = task, executor
        size = getattr(executor, "_max_workers", None)  # the standard library has no public name for it
        self.n_workers: int | None = size if isinstance(size, int) else None
        self._pending: dict[Future[Any], Parcel] = {}

    @property
    def is_busy(self) -> bool:
        return bool(self._pending)

    def deliver(self, parcels: deque[Parcel], deadline: float) -> Iterator[Delivery]:
        """Submit all parcels, wait for some at most until the deadline, and yield what is done."""
        while parcels:
            parcel = parcels.popleft()
            self._pending[self._submitted(parcel.content)] = parcel
        seconds = min(max(0.0, deadline - time.monotonic()), LONGEST_WAIT)
        wait(self._pending, timeout=seconds, return_when=FIRST_COMPLETED)
        for future in [future for future in self._pending if future.done()]:  # in the order of submission
            yield _delivery(self._pending.pop(future), future)

    def close(self, *, at_once: bool) -> None:
        """Leave the executor open, since it is the user's."""
        for future in self._pending:
            future.cancel()

    def _submitted(self, content: Any) -> "Future[Any]":
        try:
            return self._executor.submit(self._task, content)
        except InvalidArgument:
            raise
        except Exception as error:  # a Dask client that is closed has an exception of its own
            raise ObjectiveFailed(
                f"workers: the executor takes no more work ({type(error).__name__}: {error}). An integer, as in "
                f"workers=4, starts processes that are replaced when they die."
            ) from error


def _delivery(parcel: Parcel, future: "Future[Any]") -> Delivery:
    try:
        return Delivery(parcel, future.result())
    except InvalidArgument:
        raise
    except Exception as error:  # what the work itself raises comes in the answer: this one is the executor's
        return Delivery(parcel, loss=f"The executor lost the work ({type(error).__name__}: {error})")


class MapCarrier:
    """A callable like `map`, as in SciPy: it gets a function and the pairs. What it returns is not just believed."""

    n_workers = None
    is_isolated = False

    def __init__(self, task: Callable[[Any], Any], map_like: MapLike) -> None:
        self._task, self._map = task, map_like

    def deliver(self, parcels: deque[Parcel], deadline: float) -> Iterator[Delivery]:
        sent = list(parcels)
        parcels.clear()
        answers = self._map(self._task, [parcel.content for parcel in sent])
        if not isinstance(answers, Iterable):
            raise _bad_map(f"it returned an object of type {type(answers).__name__}")
        iterator = iter(answers)
        for k, parcel in enumerate(sent):
            if (answer := next(iterator, _NOTHING)) is _NOTHING:
                raise _bad_map(f"it returned {k} for {len(sent)} pairs")
            if (fault := fault_in(answer, parcel.content)) is not None:
                raise _bad_map(f"for pair {k + 1} of {len(sent)} it returned {fault}")
            yield Delivery(parcel, answer)
            if time.monotonic() >= deadline:
                return
        if next(iterator, _NOTHING) is not _NOTHING:
            raise _bad_map(f"it returned more than {len(sent)} for {len(sent)} pairs")

    def close(self, *, at_once: bool) -> None:
        """Leave the map alone, since it is the user's."""


def _bad_map(what: str) -> InvalidArgument:
    return InvalidArgument(
        f"workers: a callable like map must return what the function returns for each pair, in order, but {what}. "
        f"For example workers=map."
    )


_NOTHING = object()
Carrier = Pool | ExecutorCarrier | MapCarrier  # has parcels worked on elsewhere, `n_workers` at a time
