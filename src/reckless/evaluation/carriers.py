"""How parcels reach workers that are not ours: through an executor or a map."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from math import inf
from typing import Any

from reckless.core.words import named
from reckless.errors import InvalidArgument, ObjectiveFailed
from reckless.evaluation.pool import Delivery, Parcel, Pool
from reckless.evaluation.wire import KeyOf, Lacking, Portable, fault_in

LONGEST_WAIT = 3600.0  # seconds; operating systems do not take just any number
PATIENCE = 0.5  # seconds after which another parcel with f is sent, if none has come back
MapLike = Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]]


class ExecutorCarrier:
    """Any `concurrent.futures.Executor`: Dask, MPI, Ray, threads. n_workers is None if it does not say.

    f may be large, and nobody says which worker gets a parcel. So the first parcels bring f along, one per worker;
    the others just bring its key. A worker that lacks f says so, and the parcel is sent again, now with f. There are
    no more parcels with f under way than workers, unless these are busy and others may have joined. Where more workers
    lacked f than there are, each parcel has a new one, as with `executorlib`: then all parcels bring f.
    """

    is_isolated = False

    def __init__(self, task: Callable[[Any], Any], executor: Executor) -> None:
        self._task, self._executor = task, executor
        self.n_workers = _size(executor)
        self._pending: dict[Future[Any], Parcel] = {}
        self._key: Callable[[Any], Any] = KeyOf(task) if isinstance(task, Portable) else task
        self._is_known = self._key is task  # whether any worker has f
        self._bringing: set[Future[Any]] = set()  # those of parcels with f
        self._lacking: deque[Parcel] = deque()  # that have come back
        self._lackers: set[str] = set()  # the workers that sent them

    @property
    def is_busy(self) -> bool:
        return bool(self._pending or self._lacking)

    def deliver(self, parcels: deque[Parcel], deadline: float) -> Iterator[Delivery]:
        """Submit parcels, wait for some at most until the deadline, and yield what is done."""
        self._bring(self._lacking)
        if not self._is_known:
            self._bring(parcels)
        while parcels and self._is_known:
            self._submit(self._key, parcels.popleft())
        waiting = parcels or self._lacking
        seconds = min(max(0.0, deadline - time.monotonic()), PATIENCE if waiting else LONGEST_WAIT)
        if not wait(self._pending, timeout=seconds, return_when=FIRST_COMPLETED).done and waiting:
            self._bringing.add(self._submit(self._task, waiting.popleft()))
        for future in [future for future in self._pending if future.done()]:  # in the order of submission
            done = _delivery(self._pending.pop(future), future)
            if isinstance(done.answer, Lacking):
                self._lacking.append(done.parcel)
                self._lackers.add(done.answer.worker)
                if self.n_workers is not None and len(self._lackers) > self.n_workers:
                    self._key = self._task
                continue
            if future in self._bringing:
                self._bringing.remove(future)
                self._is_known = True
                parcels.extend(self._lacking)  # another worker may have f now
                self._lacking.clear()
            yield done

    def close(self, *, at_once: bool) -> None:
        """Leave the executor open, since it is the user's."""
        for future in self._pending:
            future.cancel()

    def _bring(self, parcels: deque[Parcel]) -> None:
        """Submit parcels with f, as many as may be under way."""
        while parcels and len(self._bringing) < (self.n_workers or inf):
            self._bringing.add(self._submit(self._task, parcels.popleft()))

    def _submit(self, task: Callable[[Any], Any], parcel: Parcel) -> "Future[Any]":
        try:
            future = self._executor.submit(task, parcel.content)
        except InvalidArgument:
            raise
        except Exception as error:  # a Dask client that is closed has an exception of its own
            raise ObjectiveFailed(
                f"workers: the executor takes no more work ({named(error)}). An integer, as in "
                f"workers=4, starts processes that are replaced when they die."
            ) from error
        self._pending[future] = parcel
        return future


def _size(executor: Executor) -> int | None:
    """Return how many workers an executor says it has; there is no public name for it in the standard library."""
    for name in ("_max_workers", "max_workers"):
        size = getattr(executor, name, None)
        if isinstance(size, int) and not isinstance(size, bool) and size > 0:
            return size
    return None


def _delivery(parcel: Parcel, future: "Future[Any]") -> Delivery:
    try:
        return Delivery(parcel, future.result())
    except InvalidArgument:
        raise
    except Exception as error:  # what the work itself raises comes in the answer: this one is the executor's
        return Delivery(parcel, loss=f"The executor lost the work ({named(error)})")


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
