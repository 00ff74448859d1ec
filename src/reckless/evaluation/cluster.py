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
        """How many evaluations go on at a time, as the executors of the standard library call it."""
        try:
            return sum(self._client.nthreads().values()) or None
        except Exception:  # a client that is closed; whoever submits to it is told so
            return None


def steady(executor: Executor) -> Executor:
    """The executor itself or, if it is a Dask client's, the same workers as a `Cluster`."""
    module = sys.modules.get("distributed.cfexecutor")  # loaded, if there is such an executor
    if module is None or not isinstance(executor, module.ClientExecutor):
        return executor
    # What the user gave to `get_executor`, such as resources, has no public name.
    return Cluster(executor._client, **executor._kwargs)


async def _carry(client: "distributed.Client", theirs: "distributed.Future[Any]", ours: "Future[Any]") -> None:
    """End our future as theirs ends."""
    result: Any = None
    failure: Exception | None = None
    try:
        result = await _fetched(client, theirs)
    except (CancelledError, asyncio.CancelledError) as error:
        failure = BrokenExecutor(f"the cluster dropped it: {getattr(error, 'reason', 'cancelled')}")
    except Exception as error:
        failure = error
    if not ours.set_running_or_notify_cancel():
        return
    if failure is None:
        ours.set_result(result)
    else:
        ours.set_exception(failure)


async def _fetched(client: "distributed.Client", theirs: "distributed.Future[Any]") -> Any:
    """The result, by the first of the requests for it that is answered."""
    requests = {_request(client, theirs)}
    patience = PATIENCE
    while True:
        answered, _ = await asyncio.wait(requests, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        if answered:
            return answered.pop().result()
        if theirs.status == "finished":
            requests.add(_request(client, theirs))
            patience *= 2.0


def _request(client: "distributed.Client", theirs: "distributed.Future[Any]") -> "asyncio.Future[Any]":
    request: asyncio.Future[Any] = asyncio.ensure_future(client.gather(theirs, asynchronous=True))
    # Requests travel together, so none is ever cancelled; how one ends that is not needed any more is of no interest.
    request.add_done_callback(lambda request: request.cancelled() or request.exception())
    return request
