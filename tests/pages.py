"""Read the README and the docs: their blocks of code and their command lines; run what they show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from reckless.cli import cli, main

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [README, ROOT / "CONTRIBUTING.md", *DOCS]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def blocks(page, language):
    return [text for words, text in FENCE.findall(page.read_text(encoding="utf-8")) if words == language]


def lines_of(page, *languages):
    texts = [text for language in languages for text in blocks(page, language)]
    return [line for text in texts for line in text.splitlines() if line and not line.startswith("#")]


def called(words, monkeypatch):
    """Run the command line with these words; return its exit code, 0 if all is well."""
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code or 0


def run_script(folder, *words):
    """Run Python in a process of its own; return what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def parsed(words):
    """Have the command line read these words; a command by its name alone must only exist."""
    command, (name, *rest) = cli, words
    while isinstance(command, click.Group) and rest:
        assert rest[0] in command.commands, f"{' '.join(words)}: there is no command {rest[0]}"
        name, *rest = rest
        command = command.commands[name]
    return command.make_context(name, rest) if rest else None
