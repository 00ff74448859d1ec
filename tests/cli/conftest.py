"""What the tests of the command line share."""

import sys

import pytest

from reckless.cli import main


@pytest.fixture
def run(monkeypatch, capsys):
    """Call the command line in this process: (exit code, stdout, stderr)."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["reckless", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call
