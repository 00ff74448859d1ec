"""`reckless worst-case`: attack one design from the command line or of a file."""

import os
from contextlib import suppress
from math import inf, isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from reckless.cli.completion import complete_objective
from reckless.cli.objectives import Target, evaluating, find_target, is_own, options_of
from reckless.cli.options import JSON, Value, options_of_a_run
from reckless.cli.sentences import cleaned
from reckless.cli.signals import INTERRUPTED
from reckless.core.arrays import Array
from reckless.core.sense import Sense, sense_of
from reckless.core.words import safe_repr, shortened
from reckless.errors import InvalidArgument, Status

if TYPE_CHECKING:
    from reckless.run.result import WorstCase


def _read_at(value: str, option: str) -> tuple[float, ...] | Path:
    """Return the numbers of a design, or the file of a saved result."""
    with suppress(ValueError):
        return tuple(float(part) for part in value.split(","))
    if value.endswith(".json") or os.path.exists(value):
        return Path(value)
    raise InvalidArgument(
        f"{option}: expected numbers with commas between them, such as 1.0,2.5, or the file of a saved result, such as "
        f"result.json, but got {shortened(safe_repr(value))}."
    )


class Known:
    """An objective that knows its worst value so far, for an attack that is interrupted."""

    def __init__(self, target: Target, sense: Sense) -> None:
        self._target, self._sense = target, sense
        self._highest, self._lowest, self.nfev = -inf, inf, 0  # of values with the signs of the search
        self.y = np.empty(0)

    def __call__(self, x: Array, y: Array) -> object:
        value = self._target.f(x, y)
        with suppress(TypeError, ValueError):  # what is no number is for the attack to refuse
            values, rows = self._sense.turn(np.array(value, dtype=np.float64, ndmin=1)), np.atleast_2d(y)
            self.nfev += len(rows)
            self._lowest = float(np.fmin(self._lowest, np.fmin.reduce(values)))
            k = int(np.where(np.isnan(values), -inf, values).argmax())
            if len(values) == len(rows) and values[k] > self._highest:
                self._highest, self.y = float(values[k]), rows[k].copy()
        return value

    def result(self) -> "WorstCase":
        """Return the answer so far; of an attack that was not completed no search counts."""
        from reckless.domains.labels import Legend
        from reckless.run.result import Slices, WorstCase

        message = Status.INTERRUPTED.sentence
        if not self.y.size:
            message = "The attack was interrupted, and no value is known: with --workers they are elsewhere."
        fun = self._sense.turn(self._highest) if self.y.size else nan
        ends = sorted((fun, self._sense.turn(self._lowest) if self.y.size else nan))
        counts = {"n_failed": 0, "n_starts": 0, "n_agreed": 0}
        extent = {"lowest": ends[0], "highest": ends[1], "slices": Slices(), "scenarios": Slices()}
        ending = {"is_exact": False, "success": False, "message": message}
        return WorstCase(y=self.y, fun=fun, nfev=self.nfev, **counts, **extent, **ending, legend=Legend())


@click.command("worst-case")
@click.argument("objective", required=False, shell_complete=complete_objective)
@click.option(
    "--at",
    type=Value(_read_at, "x1,x2,...|result.json", is_text=True),
    required=True,
    help="The design x to attack: its numbers, or the file of a saved result.",
)
@options_of_a_run(searching=False)
@JSON
def worst_case(objective: str | None, at: tuple[float, ...] | Path, as_json: bool, **options: Any) -> None:
    """Measure how bad one design x can really get: the largest f(x, y) over y that independent searches find.

    OBJECTIVE is a function f(x, y) in a Python file, as in path/to/file.py:f, the name of a benchmark problem (see
    `reckless problems`), or a file such as problem.toml (see `reckless solve --init`), of which those settings
    do not matter here that are for the search of x. A Python file or a program is run: name what you trust.
    With --maximin the smallest f(x, y) is measured.
    """
    from reckless.cli.config import read_settings
    from reckless.core.arguments import read_point, read_rng
    from reckless.domains.inside import moved_inside
    from reckless.domains.labels import Legends, legend_of, shown
    from reckless.domains.named import with_names
    from reckless.domains.reading import read_domain
    from reckless.domains.sets import Scenarios
    from reckless.run.saving import SCHEMA, load, text_of
    from reckless.run.verification import worst_case as measure

    settings = read_settings(objective, options)
    if isinstance(at, Path):
        saved = load(at, "--at")
        at, settings["maximin"] = tuple(saved.x.tolist()), settings["maximin"] or saved.maximin
    if options["rng"] is None and settings["rng"] is not None:
        settings["rng"] = read_rng(settings["rng"]).spawn(1)[0]  # independent of the run that the file's seed is for
    x = read_point(at, None, "--at")
    only_x = {"x_bounds": Scenarios(x[None, :])} if is_own(settings) else {}  # unless a file says more
    target = find_target({**only_x, **settings})
    x_domain = read_domain(target.x_bounds, "x_bounds")
    if x.size != x_domain.n_out:
        raise InvalidArgument(f"--at: {settings['name']} has {x_domain.n_out} coordinates in x, but got {x.size}.")
    x = moved_inside(x[None], x_domain, "--at")[0]
    given = options_of(settings, target, searching=False)
    known = Known(target, sense_of(given["maximin"]))
    f = target.f if given["workers"] or given["eval_timeout"] else known  # which another process could not tell
    is_interrupted = False
    try:
        with evaluating(target):
            found = measure(f, with_names(x, x_domain.names), target.y_bounds, **given)
    except KeyboardInterrupt:
        found, is_interrupted = known.result(), True
    legends = Legends(legend_of(x_domain), legend_of(target.y_bounds))
    if as_json:
        said = {"schema": SCHEMA, "x": x.tolist(), **found.to_dict(), **legends.to_dict()}
        click.echo(text_of(said), nl=False)
    else:
        click.echo(
            cleaned(f"{settings['name']}: how bad one x can get\nx = {shown(x_domain, x, 'x')}\n{found.report()}")
        )
    if is_interrupted:
        raise click.exceptions.Exit(INTERRUPTED)
    if not isfinite(found.fun):
        raise click.exceptions.Exit(1)
