"""What goes wrong, in one line on stderr."""

import click

from reckless.core.words import printable, shortened

LONGEST = 2_000  # characters of a sentence; foreign words in it are cut to 200 before


def complain(sentence: str) -> None:
    """Print a sentence on one line, control characters escaped: a terminal would obey them."""
    click.echo(f"reckless: {shortened(printable(' '.join(sentence.split())), LONGEST)}", err=True)


def cleaned(text: str) -> str:
    """Return lines for a terminal, control characters in them escaped."""
    return "\n".join(printable(line) for line in text.split("\n"))
