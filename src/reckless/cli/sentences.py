"""Sentences for a terminal, which would obey the control characters in the words of others."""

import click

from reckless.core.words import printable, shortened

LONGEST = 900  # characters of a sentence; foreign words in it are cut to 200 before


def complain(sentence: str) -> None:
    """Print what is wrong on one line of stderr."""
    click.echo(f"reckless: {shortened(printable(' '.join(sentence.split())), LONGEST)}", err=True)


def cleaned(text: str) -> str:
    """Return lines for a terminal, control characters in them escaped."""
    return "\n".join(printable(line) for line in text.split("\n"))


def say(sentence: str, *, err: bool = False) -> None:
    """Print lines to stdout, or to stderr."""
    click.echo(cleaned(sentence), err=err)
