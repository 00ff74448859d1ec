"""The workers of a Dask cluster, behind futures that always end.

The executor that a Dask client offers (`client.get_executor()`) has two weaknesses when a cluster loses a part of
itself. If a result cannot be fetched, say because the connection to the scheduler breaks, that is logged and the
future stays pending forever. And if a result is asked for at a worker that is just dying, the scheduler tries for
half a minute (Dask's `distributed.comm.timeouts.connect`) to reach it, though the result was long since computed anew
elsewhere. Here a future ends however the fetching ends, and a result that is late is asked for again.
"""

import asyncio
import sys
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import distributed

PATIENCE = 2.0  # seconds for a finished result to arrive before it is asked for again


class Cluster(Executor):
    """The workers of a Dask client, which stays the caller's to close; `options` go with every `client.submit`."""

    def __init__(self, client: "distributed.Client", **options: Any) -> None:
        self._client = client
        self._options = {"pure": False, **options}

    def submit(self, f: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        theirs = self._client.submit(f, *args, **kwargs, **self._options)
        ours: Future[Any] = Future()
        ours.add_done_callback(lambda _: theirs.release())  # fetched or not wanted any more, the cluster may forget it
        self._client.loop.add_callback(_carry, self._client, theirs, ours)
        return ours

    @property
    def _max_workers(self) -> int | None:
        """The number of threads, under the name that the executors of the standard library use."""
        try:
            return sum(self._client.nthreads().values()) or None
        except Exception:  # a client that is closed; `submit` says so
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
    if ours.set_running_or_notify_cancel():
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
