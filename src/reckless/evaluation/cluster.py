"""The workers of a Dask cluster, behind futures that always end.

The executor that a Dask client offers (`client.get_executor()`) has two weaknesses when a cluster loses a part of
itself. If a result cannot be fetched, say because the connection to the scheduler breaks, that is logged and the
future stays pending forever. And if a result is asked for at a worker that is just dying, the scheduler tries for
half a minute (Dask's `distributed.comm.timeouts.connect`) to reach it, though the result was long since computed anew
elsewhere. Here a future ends however the fetching ends, and a result that is late is asked for again. A scheduler that
is silent for SILENCE seconds is given up.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import distributed

SILENCE = 30.0  # seconds without an answer after which the scheduler is taken to be gone
PING = 5.0  # seconds between two questions to it; one that is busy may take its time
SIZE_SECONDS = 1.0  # for the scheduler to say how many workers there are, which can be done without
PATIENCE = 2.0  # seconds for a finished result to arrive before it is asked for again


class Cluster(Executor):
    """The workers of a Dask client, which stays the caller's to close; `options` go with every `client.submit`.

    While there are futures the scheduler is asked for a sign of life now and then; without one, all of them end.
    """

    def __init__(self, client: "distributed.Client", **options: Any) -> None:
        self._client = client
        self._options = {"pure": False, **options}
        self._open: set[Future[Any]] = set()
        self._is_watched = False
        self._fault: str | None = None

    def submit(self, f: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        if self._fault is not None:
            raise BrokenExecutor(self._fault)
        theirs = self._client.submit(f, *args, **kwargs, **self._options)
        ours: Future[Any] = Future()
        self._open.add(ours)
        ours.add_done_callback(self._open.discard)
        ours.add_done_callback(lambda _: theirs.release())  # fetched or not wanted any more, the cluster may forget it
        self._client.loop.add_callback(_carry, self._client, theirs, ours)
        self._client.loop.add_callback(self._watch)
        return ours

    async def _watch(self) -> None:
        """Ask the scheduler for a sign of life while futures are open; end them if there is none."""
        if self._is_watched:
            return
        self._is_watched, heard = True, time.monotonic()
        while self._open:
            with suppress(Exception):  # not reached, or too slow: try again
                async with asyncio.timeout(SILENCE + heard - time.monotonic()):
                    await self._client.scheduler.echo(data=None)
                heard = time.monotonic()
            if time.monotonic() - heard >= SILENCE:
                self._fault = f"the scheduler of Dask has not answered for {SILENCE:g} seconds"
                for ours in list(self._open):
                    _end(ours, partial(ours.set_exception, BrokenExecutor(self._fault)))
            await asyncio.sleep(min(PING, max(0.0, SILENCE + heard - time.monotonic())))
        self._is_watched = False

    @property
    def _max_workers(self) -> int | None:
        """The number of threads, under the name that the executors of the standard library use."""
        try:
            return sum(self._client.nthreads(callback_timeout=SIZE_SECONDS).values()) or None
        except Exception:  # a client that is closed, as `submit` says, or a scheduler that is silent
            return None


def steady(executor: Executor) -> Executor:
    """Return the executor itself or, if it is a Dask client's, the same workers as a `Cluster`."""
    module = sys.modules.get("distributed.cfexecutor")  # loaded, if there is such an executor
    if module is None or not isinstance(executor, module.ClientExecutor):
        return executor
    # What the user gave to `get_executor`, such as resources, has no public name.
    return Cluster(executor._client, **executor._kwargs)


async def _carry(client: "distributed.Client", theirs: "distributed.Future[Any]", ours: "Future[Any]") -> None:
    """End our future as theirs ends."""
    try:
        end = partial(ours.set_result, await _fetched(client, theirs))
    except (CancelledError, asyncio.CancelledError) as error:
        reason = getattr(error, "reason", "cancelled")
        end = partial(ours.set_exception, BrokenExecutor(f"the cluster dropped it: {reason}"))
    except Exception as error:
        end = partial(ours.set_exception, error)
    _end(ours, end)


def _end(ours: "Future[Any]", end: Callable[[], None]) -> None:
    """End a future, unless it is not wanted any more or was ended before; only the client's loop does so."""
    if not ours.done() and ours.set_running_or_notify_cancel():
        end()


async def _fetched(client: "distributed.Client", theirs: "distributed.Future[Any]") -> Any:
    """Return the result from whichever request for it is answered first."""
    requests = set[asyncio.Future[Any]]()
    while True:
        if not requests or theirs.status == "finished":
            request = asyncio.ensure_future(client.gather(theirs, asynchronous=True))
            # Requests travel together, so none is ever cancelled; errors of those that come too late are ignored.
            request.add_done_callback(lambda request: request.cancelled() or request.exception())
            requests.add(request)
        patience = PATIENCE * 2.0 ** (len(requests) - 1)
        answered, _ = await asyncio.wait(requests, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        if answered:
            return answered.pop().result()
