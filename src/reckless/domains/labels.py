"""Coordinates as people read them: by name and unit, with the parts of a choice as the user wrote them.

Names are part of every set. Units and words are not: what a set does not have is left out.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from reckless.core.arrays import Array

DIGITS = 6


class Legend(NamedTuple):
    """What is known of the coordinates of a set: names, units and words, each one per coordinate, or none.

    words: how the user wrote the values that a coordinate can have; empty for a coordinate without a choice of words.
    """

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    words: tuple[Mapping[float, str], ...] = ()


class Legends(NamedTuple):
    """The legends of both players."""

    x: Legend = Legend()
    y: Legend = Legend()

    def to_dict(self) -> dict[str, Any]:
        """Return names, units and words as JSON has them; nothing of what no coordinate has."""
        parts: dict[str, list[list[Any]]] = {
            "names": [list(legend.names) for legend in self],
            "units": [list(legend.units) for legend in self],
            "words": [[{word: value for value, word in words.items()} for words in legend.words] for legend in self],
        }
        return {part: dict(zip("xy", players, strict=True)) for part, players in parts.items() if any(players)}


def read_legends(told: Mapping[str, Any]) -> Legends:
    """Return the legends that `Legends.to_dict` wrote."""
    return Legends(*(_read_legend(*(told.get(part, {}).get(player, []) for part in Legend._fields)) for player in "xy"))


def _read_legend(names: list[str], units: list[str], words: list[dict[str, float]]) -> Legend:
    turned = ({float(value): word for word, value in each.items()} for each in words)
    return Legend(tuple(names), tuple(units), tuple(turned))


def legend_of(domain: Any) -> Legend:
    """Return the legend of a set, or of anything else that has names, units or words."""
    return Legend(*(tuple(getattr(domain, part, ())) for part in Legend._fields))


def labels_of(domain: Any, player: str, n: int | None = None) -> tuple[str, ...]:
    """Return what to call each coordinate: "R [ohm]" by its name, or "x[0]" without.

    n: number of coordinates, for a legend; a set says it itself.
    """
    names, units, _ = legend_of(domain)
    if not names:
        n = n if n is not None else len(units) or int(domain.n_out)
        names = tuple(f"{player}[{i}]" for i in range(n))
    units = units or ("",) * len(names)
    return tuple(f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True))


def shown(domain: Any, point: Array, player: str) -> str:
    """Return a point as text: "(R = 47 ohm, C = 2n2)" with names, "(47, 2.2e-09)" without."""
    names, units, _ = legend_of(domain)
    values = [shown_value(domain, i, value) for i, value in enumerate(point.tolist())]
    if units:
        values = [f"{value} {unit}" if unit else value for value, unit in zip(values, units, strict=True)]
    if names:
        values = [f"{name} = {value}" for name, value in zip(names, values, strict=True)]
    return f"({', '.join(values)})"


def shown_value(domain: Any, i: int, value: float) -> str:
    """Return the value of coordinate i as text: the word that the user wrote for it, or a number."""
    words = legend_of(domain).words
    return (words[i].get(value) if words else None) or f"{value:.{DIGITS}g}"
