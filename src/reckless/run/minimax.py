"""The front doors `minimax` and `maximin`."""

from collections.abc import Callable
from typing import Any, Literal

from reckless.core.task import Method
from reckless.domains.reading import DomainLike
from reckless.evaluation.executors import WorkersLike
from reckless.evaluation.objective import Evaluator, Objective
from reckless.run.front import arguments_of, front_door
from reckless.run.options import read_options
from reckless.run.result import MinimaxResult
from reckless.run.run import Run
from reckless.run.watcher import watching


@front_door
def minimax(
    f: Objective,
    x_bounds: DomainLike,
    y_bounds: DomainLike,
    *,
    maxfev: int | None = None,
    method: str | Method = "auto",
    rng: Any = None,
    args: Any = (),
    vectorized: bool = False,
    x_integrality: Any = None,
    y_integrality: Any = None,
    x0: Any = None,
    y0: Any = None,
    y_nominal: Any = None,
    start: Any = None,
    data: Any = None,
    verify: bool | int = False,
    maximin: bool = False,
    callback: Callable[..., object] | None = None,
    progress: bool | Literal["bar", "lines", "none"] = False,
    workers: WorkersLike = None,
    batch_size: int = 1,
    on_error: Literal["worst", "ignore", "raise"] = "raise",
    nan_policy: Literal["worst", "ignore", "raise"] = "worst",
    retries: int = 0,
    noise: float | Literal["auto", False] = "auto",
    eval_timeout: float | None = None,
    checkpoint: Any = None,
    maxtime: float | None = None,
    target: float | None = None,
    tol: float | None = None,
    trace: bool = False,
    keep: bool = False,
) -> MinimaxResult:
    """Find the x whose worst case over y is smallest, when f can only be called.

    Parameters
    ----------
    f : callable
        ``f(x, y) -> float`` for vectors x (n_x,) and y (n_y,); with ``vectorized=True`` ``f(X, Y) -> (m,)`` for rows
        X (m, n_x) and Y (m, n_y). NaN means that an evaluation failed.
    x_bounds, y_bounds : sequence of (low, high) pairs, mapping, scipy.optimize.Bounds, Box, Ball, Simplex or Scenarios
        Where the minimizing player x and the maximizing player y live; a list of Scenarios is for y. A mapping gives
        names, by which f may ask, as in ``x.R``; `Box` says what a coordinate can be.
    maxfev : int, optional
        The number of evaluations, never exceeded; a batch of m pairs is m evaluations. The default is
        1,000 (n_x + n_y + 1), where a list of y counts as one coordinate and adds 10 for each of its entries.
    method : str or Method
        A name from `reckless methods`, a class in a file such as ``"my/method.py:Mine"``, either with parameters as in
        ``"reckless:descent_share=0.3"``, or an object such as ``reckless.Reckless(descent_share=0.3)``.
    rng : int, numpy.random.Generator or None
        The seed or source of all random numbers; the same seed gives the same run.
    args : tuple, optional
        Further arguments of f, which is called as ``f(x, y, *args)``. A single one need not be a tuple.
    vectorized : bool
        Whether f takes many pairs at once, as rows.
    x_integrality, y_integrality : bool or sequence of bool, optional
        Which coordinates are whole numbers, as in `scipy.optimize.differential_evolution`.
    x0 : array_like, shape (n_x,) or (k, n_x), optional
        One or several designs to begin with. They are evaluated first, and on the y that both have seen, the answer is
        never worse than the best of them.
    y0 : array_like, shape (n_y,) or (m, n_y), optional
        One or several bad cases: the designs of x0 meet them first, and every search for a worse y begins with them.
    y_nominal : array_like, shape (n_y,), optional
        The y that is expected, if nothing goes wrong. ``result.nominal`` has the lowest value seen there, and its x:
        what ``fun`` exceeds it by is the price of robustness. No evaluation is made for it, and the pairs of the run do
        not change; ``y0=[y_nominal]`` makes the run meet it.
    start : MinimaxResult or path, optional
        An earlier result, or the name of a file with its JSON: its x joins x0, its worst y joins y0.
    data : (X, Y, values) or path, optional
        Values that you have already: X (k, n_x), Y (k, n_y), values (k,), NaN where f failed; or the name of a CSV file
        with these columns. They are not counted in ``nfev``.
    verify : bool or int
        Verify the answer by independent searches, using another `maxfev` evaluations or the number given. They are
        not counted in ``nfev``; see ``result.report()`` and ``result.plot()``.
    maximin : bool
        Large values are good: find the x whose smallest value over y is largest. `maximin` is a function, too.
    callback : callable, optional
        Called as ``callback(intermediate_result=result)`` if it takes an argument of that name, else as
        ``callback(x)``: after every new recommendation, and otherwise once 50 evaluations or a second have passed.
        Returning True or raising StopIteration ends the run. ``fun`` is the method's estimate, never NaN: the first
        call comes with the first recommendation.
    progress : bool or {"bar", "lines", "none"}
        Show on stderr how far the run is. True or "bar": a bar in a terminal, a line that updates itself in a notebook,
        elsewhere nothing. "lines": a line a minute, as for the log of a cluster.
    workers : int, concurrent.futures.Executor or callable like map, optional
        Number of local processes (-1 for all processors), an executor, or a map-like callable. The result does not
        depend on it. Evaluations that take less than 0.2 ms stay in this process.
    batch_size : int
        Number of pairs that you want evaluated at a time, usually a multiple of the number of workers, never taken from
        it. Of our methods `reckless` and its variants fill their generations up to it; the others ignore it.
    nan_policy : {"worst", "ignore", "raise"}
        What a NaN that f returns means. "worst": it is the worst case of its x, to both players, as if f were +inf.
        "ignore": it is unknown, and nothing is learned from it. "raise": it ends the run. Where failures come at
        random, so that f works right beside a failed pair, "worst" becomes "ignore", and the message says so.
    on_error : {"worst", "ignore", "raise"}
        The same for an exception of f and for a timeout. A worker that is lost is never a worst case.
    retries : int
        How often a failed evaluation is repeated; every attempt counts as an evaluation.
    noise : "auto", False or float
        Random errors of f. "auto": a pair is evaluated twice where steps fail without a reason. False: f is exact, and
        no evaluation is spent on tests. A number: the standard deviation of the noise; the method averages from the
        start. Of our methods `danskin` and `surrogate` make use of it; the others ignore it.
    eval_timeout : float, optional
        Seconds after which an evaluation is ended and counts as an error; f then runs in worker processes.
    checkpoint : str or path, optional
        A journal: each value is written to this file before it is used. After an interruption, even by kill -9, the
        same call resumes, and returns what it would have returned. With a larger `maxfev`, or another `tol`,
        `target` or `verify`, it continues: all that is in the file counts, and is not evaluated again.
    maxtime : float, optional
        Seconds after which the run ends with the answer so far.
    target : float, optional
        End the run at an x whose estimate is at most this, with `maximin` at least this, once an attack of its own,
        within the budget, has found nothing worse than the target.
    tol : float, optional
        End the run when it is done: when it has searched elsewhere long enough without a gain of more than this part of
        the range of f, and last attacks have found no worse y. The more minima its searches met, the longer it goes
        on. The pairs before that are those of a run without. The message says what it rests on. None: use all of
        `maxfev`. Of our methods `auto`, `danskin`, `finite` and `surrogate` have it; the others refuse.
    trace : bool
        Keep the events that the method notes, as ``result.trace``: one row each, with the number of evaluations, the
        estimate, the radius of the trust region and more. It is empty if the method notes nothing.
    keep : bool
        Keep all pairs and their values, as ``result.pairs``: X, Y and values, NaN where f failed, in the order of the
        requests. ``result.pairs.to_frame()`` makes a table of them, and ``result.save`` writes them, too.

    Returns
    -------
    MinimaxResult
        ``x``, its worst known case ``y``, ``fun`` = f(x, y), ``nfev``, ``success``, ``message`` and more. ``fun`` is
        the highest value known at x, a lower bound of its worst case; `worst_case` measures that independently.

    Examples
    --------
    >>> import reckless
    >>> def f(x, y):
    ...     return (x[0] - 5) ** 2 - (y[0] - 5) ** 2
    >>> result = reckless.minimax(f, [(0, 10)], [(0, 10)], maxfev=2000, method="reckless", rng=7)
    >>> round(result.x.item(), 3), result.nfev <= 2000
    (5.0, True)
    """
    options = read_options(locals())
    evaluator = Evaluator(f, vectorized=options["vectorized"], args=options["args"])
    with watching(options["progress"]) as watcher:
        return Run(x_bounds, y_bounds, options).drive(evaluator, watcher)


@front_door
@arguments_of(minimax, but="maximin")
def maximin(*args: Any, **options: Any) -> MinimaxResult:
    """Find the x whose smallest value over y is largest: `minimax` for an f of which large values are good.

    All arguments are those of `minimax`. The result speaks of f as it is: ``fun`` is the lowest value known at x, an
    upper bound of its worst case, and `target` is a worst case to reach from below.

    Examples
    --------
    >>> import reckless
    >>> def profit(x, y):
    ...     return 100 - (x[0] - 5) ** 2 + (y[0] - 5) ** 2
    >>> result = reckless.maximin(profit, [(0, 10)], [(0, 10)], maxfev=2000, method="reckless", rng=7)
    >>> round(result.x.item(), 3), round(result.fun, 3)
    (5.0, 100.0)
    """
    return minimax(*args, **options, maximin=True)
