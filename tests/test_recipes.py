"""The recipes of CONTRIBUTING.md, followed word by word in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", flags=re.DOTALL)


def recipe(heading):
    """The blocks below a heading, in order: (language, text)."""
    _, _, rest = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    return BLOCK.findall(rest.partition("\n## ")[0])


def files(heading):
    """The files that a recipe names in the first lines of its blocks."""
    named = [(text.split("\n", 1)[0], text) for language, text in recipe(heading) if language != "sh"]
    return {first.removeprefix("# "): text for first, text in named}


def commands(heading):
    return [line for language, text in recipe(heading) if language == "sh" for line in text.splitlines()]


def write(folder, heading):
    for name, text in files(heading).items():
        if " " not in name:
            (folder / name).write_text(text, encoding="utf-8")


def run(folder, command, *, path=()):
    """Run a command line as a user would, with `path` before the sources; return what it printed."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(map(str, [*path, SOURCES])),
    }
    done = subprocess.run(
        command.split(), cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_an_engine(tmp_path):
    write(tmp_path, "Add an engine")
    assert [run(tmp_path, command) for command in commands("Add an engine")] == ["True\n"]


def test_a_problem(tmp_path):
    write(tmp_path, "Add a problem")
    bench, export = commands("Add a problem")
    assert "tank.py:tank" in run(tmp_path, bench)
    rows = run(tmp_path, export).splitlines()
    assert sum("tank.py:tank" in row for row in rows) == 4
    assert sum("L1" in row for row in rows) == 4


def test_a_figure(tmp_path):
    write(tmp_path, "Add a figure")
    (command,) = commands("Add a figure")
    assert "1 passed" in run(tmp_path, command)
    assert (tmp_path / "estimates.png").stat().st_size > 5000
