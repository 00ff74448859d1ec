"""A program started for each pair: the values are among its arguments, the last number that it prints counts."""

import re
import sys
from collections.abc import Sequence
from typing import NamedTuple

from reckless.core.words import safe_repr, safe_str
from reckless.errors import InvalidArgument
from reckless.evaluation.process import Complaint, Process, Tail, quoted

MOST_READ = 1 << 16  # bytes at the end of the output that are searched for a number
TOKEN = re.compile(r"\{\{|\}\}|\{[^{}]*\}?|\}")  # a brace that stands for itself, or what is between two
PLACEHOLDER = re.compile(r"\{([xy])(?:\[([0-9]+)\]|\.([^{}]+))?\}")
NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[ed][+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE)
LABEL = re.compile(r"[a-z_][^=:]*[=:]+", re.IGNORECASE)  # as in cost=3.5
AROUND = "()[]{}<>\"'`,;"  # what may stand around a number
RULE = (
    "Values are {x[0]}, {y[0]} and so on, {x.R} by name, or {x} and {y} as words of their own; write {{ and }} for "
    "braces."
)


class Slot(NamedTuple):
    """Where values go: one coordinate of a player by place or name, or, if `at` is None, all as one argument each."""

    player: str
    at: int | str | None

    def __str__(self) -> str:
        if isinstance(self.at, str):
            return f"{{{self.player}.{self.at}}}"
        return f"{{{self.player}}}" if self.at is None else f"{{{self.player}[{self.at}]}}"


class Player(NamedTuple):
    """The values of a player's coordinates, and their names if they have any."""

    values: Sequence[float]
    names: Sequence[str]


class Template:
    """The words of a command line with places for the values. The program itself, the first word, has none."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._program = argv[0]
        self._words = [_read_word(word) for word in argv[1:]]
        players = {part.player for word in self._words for part in word if isinstance(part, Slot)}
        for player in "xy":
            if player not in players:
                raise InvalidArgument(
                    f"argv: with per_call=True the program is given its values as arguments, but none of "
                    f"{safe_repr(list(argv))} is a value of {player}. For example '{{{player}[0]}}'."
                )

    def filled(
        self, x: Sequence[float], y: Sequence[float], x_names: Sequence[str] = (), y_names: Sequence[str] = ()
    ) -> list[str]:
        """Return the command line for one pair; reading a number gives the same double back."""
        players = {"x": Player(x, x_names), "y": Player(y, y_names)}
        words = [self._program]
        for word in self._words:
            if len(word) == 1 and isinstance(slot := word[0], Slot) and slot.at is None:
                words += map(repr, players[slot.player].values)
            else:
                words.append("".join(_text(part, players) for part in word))
        return words


def run_once(argv: Sequence[str], mark: str) -> float:
    """Start a program, wait for its end, kill what it left behind, and return the last number that it printed."""
    process, output = Process(argv, mark, is_asked=False), None
    try:
        output = Tail(process.stdout, MOST_READ)
        process.wait()
    finally:
        process.kill()
        (process.stdout if output is None else output).close()
    try:
        if process.code != 0:
            raise Complaint(f"it {process.ending}")
        return last_number(output)
    except Complaint as complaint:
        raise Complaint(process.explained(str(complaint))) from None


def last_number(output: Tail) -> float:
    """Return the last number of an output; what might be one, such as 3,5 or 3.5kg, is not passed over."""
    text = output.content.decode(errors="replace")
    if not output.is_whole:
        text = re.sub(r"^\S*", "", text)  # a word that may have lost its beginning
    for word in reversed(text.split()):
        bare = word.strip(AROUND).removesuffix(".")
        if label := LABEL.match(bare):
            bare = bare[label.end() :]
        if NUMBER.fullmatch(bare):
            value = float(bare.lower().replace("d", "e"))  # Fortran writes 1.5D+03
            if abs(value) <= sys.float_info.max:
                return value
            raise Complaint(f"it printed {quoted(word)} last, which is not finite")
        if re.match(r"\W*[0-9]", bare):
            raise Complaint(
                f"its last number stands within {quoted(word)}. Print the value as the last word, with a decimal point"
            )
    end = output.content.strip()[-40:]
    raise Complaint(f"it printed no number, but {quoted(end)}" if end else "it printed nothing")


def is_placeholder(word: str) -> bool:
    """Return whether a word is a place for values and nothing else."""
    return PLACEHOLDER.fullmatch(word) is not None


def _read_word(word: str) -> list[str | Slot]:
    parts, end = list[str | Slot](), 0
    for token in TOKEN.finditer(word):
        parts.append(word[end : token.start()])
        parts.append(_read_token(token.group(), word))
        end = token.end()
    found = [part for part in (*parts, word[end:]) if part != ""]
    for part in found:
        if isinstance(part, Slot) and part.at is None and len(found) > 1:
            raise InvalidArgument(
                f"argv: {part} stands for several arguments, so it must be a word of its own, but it is a part of "
                f"{safe_repr(word)}. {RULE}"
            )
    return found


def _read_token(token: str, word: str) -> str | Slot:
    if token in ("{{", "}}"):
        return token[0]
    if (found := PLACEHOLDER.fullmatch(token)) is None:
        raise InvalidArgument(f"argv: {safe_repr(token)} in {safe_repr(word)} is no value of x or y. {RULE}")
    return Slot(found[1], found[3] if found[2] is None else int(found[2]))


def _text(part: str | Slot, players: dict[str, Player]) -> str:
    if isinstance(part, str):
        return part
    values, names = players[part.player]
    if isinstance(part.at, str):
        if part.at not in names:
            known = f"has the names {safe_str(', '.join(names))}" if names else "has no names"
            raise InvalidArgument(f"argv: {part} is no coordinate: {part.player} {known}.")
        return repr(values[names.index(part.at)])
    index = part.at or 0
    if index >= len(values):
        raise InvalidArgument(
            f"argv: {part} is beyond the last coordinate of {part.player}, which is "
            f"{Slot(part.player, len(values) - 1)}. Coordinates are counted from 0."
        )
    return repr(values[index])
