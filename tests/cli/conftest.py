"""What the tests of the command line share."""

import sys

import pytest

from reckless.cli import config, main


@pytest.fixture
def run(monkeypatch, capsys):
    """Call the command line in this process: (exit code, stdout, stderr); progress is shown only if asked for."""
    monkeypatch.setattr(config, "usual_progress", lambda: False)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["reckless", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call
