"""Save a result as JSON, and load it again: what comes back is equal, and is saved to the same bytes.

`RESULT` is a table: what is new in a result is a row there. Whoever wrote a file, reading it executes nothing.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.files import check_file, read_bytes, writing
from reckless.core.outcome import Failure
from reckless.core.task import Agreement, Case, Recommendation, TraceRow
from reckless.core.words import printable, safe_repr, safe_str, shortened
from reckless.domains.labels import Legend, Legends
from reckless.domains.named import with_names
from reckless.errors import InvalidArgument, InvalidResult
from reckless.run.options import read_file_name
from reckless.run.origin import Origin
from reckless.run.result import History, MinimaxResult, Nominal, Pairs, Slice, Slices, Trace, WorstCase, named_result

SCHEMA = 1  # of the files; a later release that reads them otherwise has a larger one
LARGEST_FILE = 1 << 30  # bytes: some ten million pairs
WORDS = ("nan", "inf", "-inf")  # for the numbers that JSON does not have


class Damage(ValueError):
    """A part of a file is not what it must be; the message says which part, and what it is."""


class Kind(NamedTuple):
    """How a part of a result becomes JSON, and how it is read again; `unpack` raises Damage."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


def plain(kind: type) -> Kind:
    """Return the kind of what JSON has itself: a bool, an int or a text."""

    def unpack(value: Any) -> Any:
        if type(value) is not kind:
            raise Damage(f"expected {kind.__name__}, but it is {safe_repr(value)}")
        return value

    return Kind(kind, unpack)


def optional(kind: Kind) -> Kind:
    """Let None pass."""
    return Kind(*(partial(_unless_none, function) for function in kind))


def sequence(kind: Kind, make: Callable[[list[Any]], Any]) -> Kind:
    """Return the kind of several things of a kind, which `make` joins."""

    def unpack(value: Any) -> Any:
        if type(value) is not list:
            raise Damage(f"expected a list, but it is {safe_repr(value)}")
        return make([kind.unpack(part) for part in value])

    return Kind(lambda parts: [kind.pack(part) for part in parts], unpack)


def record(make: Callable[..., Any], fields: Mapping[str, Kind]) -> Kind:
    """Return the kind of an object with named fields. What else is in a file is passed over."""

    def unpack(value: Any) -> Any:
        if type(value) is not dict:
            raise Damage(f"expected an object, but it is {safe_repr(value)}")
        return make(**{key: _field(kind, value, key) for key, kind in fields.items()})

    return Kind(lambda thing: {key: kind.pack(getattr(thing, key)) for key, kind in fields.items()}, unpack)


def _field(kind: Kind, value: Mapping[str, Any], key: str) -> Any:
    if key not in value:
        raise Damage(f"{key} is missing")
    try:
        return kind.unpack(value[key])
    except Damage as damage:
        raise Damage(f"{key}: {damage}") from None


def _unless_none(function: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else function(value)


def _packed_number(value: float) -> float | str:
    return float(value) if isfinite(value) else str(float(value))


def _unpacked_number(value: Any) -> float:
    if value in WORDS if type(value) is str else type(value) in (int, float):
        return float(value)
    raise Damage(f"expected a number, but it is {safe_repr(value)}")


def _packed_array(array: Array) -> list[Any]:
    numbers: list[Any] = array.ravel().tolist()
    if not np.isfinite(array).all():
        numbers = [_packed_number(number) for number in numbers]
    n = array.shape[-1]
    return numbers if array.ndim == 1 else [numbers[k * n : (k + 1) * n] for k in range(len(array))]


def _vector(numbers: list[float]) -> Array:
    vector = np.array(numbers, dtype=np.float64)
    vector.flags.writeable = False  # as the points of a run
    return vector


def _matrix(rows: list[Array]) -> Array:
    if len({row.size for row in rows}) > 1:
        raise Damage("its rows differ in length")
    return np.array(rows) if rows else np.empty((0, 0))


def _packed_words(words: Mapping[float, str]) -> list[Any]:
    return [[_packed_number(value), word] for value, word in words.items()]


def _unpacked_words(pairs: Any) -> dict[float, str]:
    """Return how the user wrote the values of a choice."""
    if type(pairs) is not list or not all(type(pair) is list and len(pair) == 2 for pair in pairs):
        raise Damage(f"expected pairs of a number and a text, but it is {safe_repr(pairs)}")
    return {_unpacked_number(value): TEXT.unpack(word) for value, word in pairs}


FLAG, COUNT, TEXT = plain(bool), plain(int), plain(str)
NUMBER = Kind(_packed_number, _unpacked_number)
VECTOR = Kind(_packed_array, sequence(NUMBER, _vector).unpack)
MATRIX = Kind(_packed_array, sequence(VECTOR, _matrix).unpack)
AGREEMENT = record(Agreement, {"n_agreed": COUNT, "n_searches": COUNT})
CASE = record(Case, {"y": VECTOR, "fun": NUMBER, "weight": optional(NUMBER), "row": optional(COUNT)})
NOMINAL = record(Nominal, {"x": VECTOR, "fun": NUMBER})
FAILURE = record(Failure, {"x": VECTOR, "y": VECTOR, "traceback": TEXT, "number": COUNT})
MOMENT = record(Recommendation, {"nfev": COUNT, "x": VECTOR, "y": VECTOR, "fun": NUMBER})
LEGEND = record(
    Legend,
    {
        "names": sequence(TEXT, tuple),
        "units": sequence(TEXT, tuple),
        "words": sequence(Kind(_packed_words, _unpacked_words), tuple),
    },
)
EVENT = record(
    TraceRow,
    {
        "nfev": COUNT,
        "phase": TEXT,
        **dict.fromkeys(("fun", "radius", "ratio"), NUMBER),
        "n_active": COUNT,
        "event": TEXT,
    },
)
SLICE = record(
    Slice,
    {"label": TEXT, "at": VECTOR, "values": VECTOR, "here": NUMBER, "kind": TEXT, "coordinate": optional(COUNT)},
)
WORST_CASE = record(
    WorstCase,
    {
        "y": VECTOR,
        "fun": NUMBER,
        **dict.fromkeys(("nfev", "n_failed", "n_starts", "n_agreed"), COUNT),
        **dict.fromkeys(("is_exact", "success"), FLAG),
        "message": TEXT,
        **dict.fromkeys(("lowest", "highest"), NUMBER),
        **dict.fromkeys(("slices", "scenarios"), sequence(SLICE, Slices)),
        "legend": LEGEND,
    },
)
ORIGIN = record(
    Origin,
    {
        **dict.fromkeys(("x_set", "y_set", "method"), TEXT),
        "rng": optional(COUNT),
        "maxfev": COUNT,
        "version": TEXT,
        "seconds": optional(NUMBER),
    },
)
PAIRS = record(Pairs, {"X": MATRIX, "Y": MATRIX, "values": VECTOR})

# Every field of a `MinimaxResult`, in the order of the file. A field that is new, and may be None, is one more row.
FIELDS = {
    "x": VECTOR,
    "y": VECTOR,
    "fun": NUMBER,
    **dict.fromkeys(("nfev", "nit", "n_failed"), COUNT),
    "success": FLAG,
    "status": COUNT,
    **dict.fromkeys(("message", "method"), TEXT),
    "agreement": optional(AGREEMENT),
    "settled": optional(FLAG),
    **dict.fromkeys(("upper", "lower"), optional(NUMBER)),
    "active": sequence(CASE, tuple),
    "nominal": optional(NOMINAL),
    **dict.fromkeys(("maximin", "refuted"), FLAG),
    "first_failure": optional(FAILURE),
    "verification": optional(WORST_CASE),
    "gap": optional(NUMBER),
    "verdict": optional(TEXT),
    "origin": ORIGIN,
    "legends": record(Legends, {"x": LEGEND, "y": LEGEND}),
    "history": sequence(MOMENT, History),
    "trace": optional(sequence(EVENT, Trace)),
    "pairs": optional(PAIRS),
}
RESULT = record(MinimaxResult, FIELDS)


def pack_result(result: MinimaxResult) -> dict[str, Any]:
    """Return a result as plain lists, numbers and texts."""
    return {"schema": SCHEMA, **RESULT.pack(result)}


def pack_worst_case(found: WorstCase) -> dict[str, Any]:
    """Return a verification as plain lists, numbers and texts."""
    return {"schema": SCHEMA, **WORST_CASE.pack(found)}


def text_of(packed: Mapping[str, Any]) -> str:
    """Return what was packed as JSON, a line for each field."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in packed.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def save(result: MinimaxResult, path: Any) -> None:
    """Write a result to a JSON file."""
    out = Path(read_file_name(path, "path"))
    check_file(out, "path")
    text = text_of(pack_result(result))
    if len(text) > LARGEST_FILE:
        raise InvalidArgument(
            f"path: the result takes {len(text):,} bytes, and `load` reads {LARGEST_FILE:,} at most. Set result.pairs "
            f"to None; a journal (checkpoint=) has all pairs, too."
        )
    with writing(out, "path") as file:
        file.write(text)


def load(path: Any, name: str = "path") -> MinimaxResult:
    """Read a result that `MinimaxResult.save` or `reckless solve --out` wrote.

    Parameters
    ----------
    path : str or path
        The file; nothing in it is executed.
    name : str
        What errors call the argument.

    Returns
    -------
    MinimaxResult
        Equal to what was saved. Saving it again gives the same bytes.

    Raises
    ------
    InvalidResult
        If the file is no saved result, is damaged, or was saved by a later release.

    Examples
    --------
    >>> import reckless
    >>> result = reckless.minimax(lambda x, y: x[0] * y[0], [(1, 4)], [(2, 9)], maxfev=100, rng=7)
    >>> result.save("result.json")  # doctest: +SKIP
    >>> reckless.load("result.json").fun == result.fun  # doctest: +SKIP
    True
    """
    found = read_json(path, name)
    if type(found) is not dict or "schema" not in found:
        raise _refusal(path, name, "has no schema number")
    try:
        result: MinimaxResult = RESULT.unpack(found)
        _insist_on_shapes(result)
        return _named(result)
    except Damage as damage:
        raise _refusal(path, name, shortened(printable(str(damage)))) from None
    except OverflowError:
        raise _refusal(path, name, "a number is too large") from None


def read_json(path: Any, name: str) -> Any:
    """Return what a JSON file says, if it is not of a later schema; `name` is the argument that names the file."""
    content = read_bytes(path, name, LARGEST_FILE)
    try:
        found = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except ValueError as error:
        raise InvalidResult(f"{name}: {safe_str(path)} is not a JSON file ({safe_str(error)}).") from None
    except RecursionError:
        raise InvalidResult(f"{name}: {safe_str(path)} is not a JSON file of ours: it is nested too deep.") from None
    schema = found.get("schema", SCHEMA) if isinstance(found, dict) else SCHEMA
    if type(schema) is not int or schema != SCHEMA:
        raise InvalidResult(
            f"{name}: {safe_str(path)} has schema {safe_repr(schema)}, and this installation reads {SCHEMA} only. "
            f"Read it with the release that saved it, or save it again."
        )
    return found


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def _refusal(path: Any, name: str, why: str) -> InvalidResult:
    return InvalidResult(f"{name}: {safe_str(path)} is not a result saved by this package, or is damaged: {why}.")


def _named(result: MinimaxResult) -> MinimaxResult:
    """Let all points answer to their names again."""
    x_names, y_names = result.legends.x.names, result.legends.y.names
    if x_names or y_names:
        rows = (row._replace(x=with_names(row.x, x_names), y=with_names(row.y, y_names)) for row in result.history)
        result.history = History(rows)
        if result.verification is not None:
            result.verification.y = with_names(result.verification.y, y_names)
        if result.pairs is not None:
            X, Y, values = result.pairs
            result.pairs = Pairs(with_names(X, x_names), with_names(Y, y_names), values)
    return named_result(result)


def _insist_on_shapes(result: MinimaxResult) -> None:
    """Refuse points that differ in length; give a table without rows the right width."""
    n_x, n_y = result.x.size, result.y.size
    if not n_x or not n_y:
        raise Damage("x or y has no coordinate")
    points = [*result.history, *([] if result.first_failure is None else [result.first_failure])]
    if any((point.x.size, point.y.size) != (n_x, n_y) for point in points):
        raise Damage("a point of history or first_failure has another length than x or y")
    if any(case.y.size != n_y for case in result.active):
        raise Damage("y of a case has another length than y")
    if result.nominal is not None and result.nominal.x.size != n_x:
        raise Damage("x of nominal has another length than x")
    if result.verification is not None and result.verification.y.size not in (0, n_y):
        raise Damage("y of the verification has another length than y")
    for n, legend in ((n_x, result.legends.x), (n_y, result.legends.y)):
        if any(len(part) not in (0, n) for part in legend):
            raise Damage("legends do not have one entry for each coordinate")
    if result.pairs is not None:
        X, Y, values = result.pairs
        n = values.size
        if (X.shape, Y.shape) != ((n, n_x), (n, n_y)) and (n or X.size or Y.size):
            raise Damage("pairs: the shapes of X, Y and values do not fit")
        result.pairs = Pairs(X.reshape(n, n_x), Y.reshape(n, n_y), values)
