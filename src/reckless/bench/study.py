"""Studies as data: problems x methods x budgets x repetitions, and the file in which a user writes one down.

The seed of a cell is a digest of what the cell is. It depends neither on the study that asks for the cell nor
on when or where it runs, so two studies that have a cell in common have its result in common.

To read a study imports nothing that it names; to run it does.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, overload

from reckless.bench.problems import find_problem, is_ours, spell_problem
from reckless.core.arguments import read_count
from reckless.core.spelling import read_spelling
from reckless.core.tomlfile import parse_toml, read_text
from reckless.core.userfile import installed
from reckless.core.words import safe_repr, safe_str, shortened
from reckless.errors import InvalidArgument
from reckless.methods.registry import GROUP as METHODS
from reckless.methods.registry import find_method

KEYS = ("name", "problems", "methods", "budgets", "budgets_per_dimension", "repetitions")
MOST_ENTRIES = 1_000  # in a list of a study: each is looked up
LARGEST_BUDGET = 10**12  # evaluations, of which no machine does more
MOST_CELLS = 10**12  # that are counted; far fewer can be run


class Cell(NamedTuple):
    """One run of a study; `problem` and `method` are canonical spellings, `repetition` counts from 0."""

    problem: str
    method: str
    budget: int
    repetition: int

    @property
    def seed(self) -> int:
        """63 bits that depend on the cell and on nothing else."""
        digest = blake2b(str(self).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") >> 1

    def __str__(self) -> str:
        return f"{self.problem} by {self.method}, {self.budget} evaluations, repetition {self.repetition}"


class Cells(Sequence[Cell]):
    """Every method on every problem with each of the problem's budgets, so many times.

    None of them is kept: a billion cells take no more room than one, and are counted at once. The order is that of the
    lists, repetitions last; it means nothing to the results.
    """

    def __init__(self, budgets: Mapping[str, Sequence[int]], methods: Sequence[str], repetitions: int) -> None:
        self.budgets, self.methods, self.repetitions = budgets, methods, repetitions

    def __len__(self) -> int:
        return sum(map(len, self.budgets.values())) * len(self.methods) * self.repetitions

    def __iter__(self) -> Iterator[Cell]:
        for problem, budgets in self.budgets.items():
            for method in self.methods:
                for budget in budgets:
                    for repetition in range(self.repetitions):
                        yield Cell(problem, method, budget, repetition)

    def __contains__(self, cell: object) -> bool:
        if not isinstance(cell, Cell) or cell.method not in self.methods:
            return False
        return cell.budget in self.budgets.get(cell.problem, ()) and 0 <= cell.repetition < self.repetitions

    @overload
    def __getitem__(self, at: int) -> Cell: ...
    @overload
    def __getitem__(self, at: slice) -> list[Cell]: ...
    def __getitem__(self, at: int | slice) -> Cell | list[Cell]:
        if isinstance(at, slice):
            return [self[i] for i in range(len(self))[at]]
        at = range(len(self))[at]
        for problem, budgets in self.budgets.items():
            n_cells = len(self.methods) * len(budgets) * self.repetitions
            if at < n_cells:
                at, repetition = divmod(at, self.repetitions)
                method, budget = divmod(at, len(budgets))
                return Cell(problem, self.methods[method], budgets[budget], repetition)
            at -= n_cells
        raise IndexError(at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A comparison as data: every method on every problem with every budget, `repetitions` times.

    problems, methods: spellings such as "L1:n=20", "reckless-n:descent_share=0.3" and "my/file.py:name"; kept in their
    canonical form. budgets: evaluations per run. budgets_per_dimension: the same, to be multiplied by the number of
    coordinates of x.

    >>> study = Study(name="mine", problems=("l1",), methods=("MMDE",), budgets=(100, 1e3), repetitions=2)
    >>> [str(cell) for cell in study.cells()][0]
    'L1 by mmde, 100 evaluations, repetition 0'
    """

    name: str
    problems: tuple[str, ...]
    methods: tuple[str, ...]
    budgets: tuple[int, ...] = ()
    budgets_per_dimension: tuple[int, ...] = ()
    repetitions: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or not self.name.isprintable():
            raise InvalidArgument(
                f"name: expected a printable text, but got {safe_repr(self.name)}. "
                'For example name = "first comparison".'
            )
        spelled: dict[str, list[Any]] = {
            "problems": [spell_problem(name) for name in _words(self.problems, "problems")],
            "methods": [_spell_method(name) for name in _words(self.methods, "methods")],
            "budgets": _counts(self.budgets, "budgets"),
            "budgets_per_dimension": _counts(self.budgets_per_dimension, "budgets_per_dimension"),
        }
        if not self.budgets and not self.budgets_per_dimension:
            raise InvalidArgument("budgets: a study needs one budget or more. For example budgets = [100, 1000].")
        for key, values in spelled.items():
            twice = [value for value, n in Counter(values).items() if n > 1]
            if twice:
                raise InvalidArgument(
                    f"{key}: duplicate entry {shortened(safe_repr(twice[0]))}; list each of the {key} once."
                )
            object.__setattr__(self, key, tuple(values))
        object.__setattr__(self, "repetitions", read_count(self.repetitions, "repetitions"))

        n_budgets = len(self.budgets) + len(self.budgets_per_dimension)
        n_cells = len(self.problems) * len(self.methods) * n_budgets * self.repetitions
        if n_cells > MOST_CELLS:
            raise InvalidArgument(
                f"repetitions: a study may have {MOST_CELLS:,} cells at most, but these are more. "
                f"Lower the repetitions, now {shortened(safe_repr(self.repetitions), 20)}."
            )

    def check(self) -> None:
        """Import the problems and methods, from the files and distributions that they are in. Raise what that raises.

        To make a study looks at the spelling of these alone.
        """
        for problem in self.problems:
            find_problem(problem)
        for method in self.methods:
            find_method(method)

    def cells(self, sizes: Mapping[str, int] | None = None) -> Cells:
        """Return every cell, in the order of the lists, repetitions last; the order means nothing to the results.

        sizes: the numbers of coordinates of x, as far as they are known. If given, no problem is imported to count
        them, and budgets per dimension of an unknown size are left out: see `unsized`.
        """
        return Cells({name: self._budgets_of(name, sizes) for name in self.problems}, self.methods, self.repetitions)

    def unsized(self, sizes: Mapping[str, int]) -> list[str]:
        """Return the problems whose budgets cannot all be told without importing them."""
        unknown = [name for name in self.problems if name not in sizes and not is_ours(name)]
        return unknown if self.budgets_per_dimension else []

    def _budgets_of(self, problem: str, sizes: Mapping[str, int] | None) -> list[int]:
        n_x = 0
        if sizes is not None and problem in sizes:
            n_x = sizes[problem]
        elif self.budgets_per_dimension and (sizes is None or is_ours(problem)):
            n_x = find_problem(problem).n_x
        return sorted({*self.budgets, *(n_x * n for n in self.budgets_per_dimension if n_x)})


def read_study(path: str | Path) -> Study:
    """Read a study file (TOML). Raise InvalidArgument, in one sentence, for whatever is wrong with it.

    The keys are those of `Study`; `name` is that of the file unless given. Nothing that it names is imported.
    """
    path = Path(path)
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise InvalidArgument(
            f"study: there is no file {safe_str(path)}. Is the path relative to another directory?"
        ) from None
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"study: {safe_str(path)} cannot be read as text ({error}).") from None
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise InvalidArgument(f"study: {safe_str(path)} is not valid TOML: {error}.") from None
    try:
        return _study(data, path.stem)
    except InvalidArgument as error:
        raise InvalidArgument(f"{safe_str(path)}: {error}") from None


def every_cell(studies: Iterable[Study]) -> list[Cell]:
    """Return the cells of several studies, each once, in the order in which they first appear."""
    return list(dict.fromkeys(cell for study in studies for cell in study.cells()))


def count_evaluations(cells: Sequence[Cell]) -> int:
    """Return the evaluations that the cells may spend at most."""
    return sum(cell.budget for cell in cells)


def _study(data: Mapping[str, Any], name: str) -> Study:
    for key in data:
        if key not in KEYS:
            near = get_close_matches(key, KEYS, n=1, cutoff=0.4)
            cure = f"Did you mean {near[0]!r}?" if near else f"Known keys: {', '.join(KEYS)}."
            raise InvalidArgument(f"there is no key {shortened(safe_repr(key))} in a study. {cure}")
    examples = {"problems": '["L1", "L2"]', "methods": '["reckless-cr", "mmde"]', "repetitions": "10"}
    for key, example in examples.items():
        if key not in data:
            raise InvalidArgument(f"the key {key!r} is missing. For example {key} = {example}.")
    return Study(**{"name": name, **data})


def _spell_method(name: str) -> str:
    """Return the canonical spelling of a method; nothing is imported from a file or another distribution."""
    spelling = read_spelling(name)
    if not spelling.file:
        spelling = read_spelling(name.lower())
    return str(spelling) if spelling.file or spelling.name in installed(METHODS) else find_method(name)[1]


def _words(values: Any, key: str) -> list[str]:
    if not isinstance(values, (list, tuple)) or not all(isinstance(value, str) for value in values):
        raise InvalidArgument(f"{key}: expected a list of names in quotes, but got {safe_repr(values)}.")
    if not values:
        raise InvalidArgument(f"{key}: the list is empty. `reckless {key}` shows what there is.")
    return _few(values, key)


def _counts(values: Any, key: str) -> list[int]:
    if not isinstance(values, (list, tuple)):
        raise InvalidArgument(
            f"{key}: expected a list of whole numbers, but got {safe_repr(values)}. Add brackets: [ ]."
        )
    counts = [read_count(value, key) for value in _few(values, key)]
    if counts and max(counts) > LARGEST_BUDGET:
        raise InvalidArgument(f"{key}: a budget may be {LARGEST_BUDGET:,} at most, but the largest is beyond.")
    return counts


def _few(values: Sequence[Any], key: str) -> list[Any]:
    if len(values) > MOST_ENTRIES:
        raise InvalidArgument(
            f"{key}: a list in a study may have {MOST_ENTRIES:,} entries, but this one has {len(values):,}. "
            f"Split the study: several may share a store."
        )
    return list(values)
