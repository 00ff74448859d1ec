"""What the README shows works as printed: its Python, each of its commands, and the installation."""

import re
import shlex
import shutil
import subprocess
import tomllib
from importlib import import_module
from importlib.metadata import distribution

import pytest

from pages import README, ROOT, blocks, called, lines_of, parsed, run_script
from reckless.bench.paper import studies
from reckless.cli import main

SMALL = {  # added to commands that would take too long here, which are parsed as printed as well
    "reckless paper": "--experiment steps --workers 1",
    "reckless demo": "--maxfev 2000",
    "pytest": "--collect-only -q -p no:cacheprovider tests/core",
}


def test_the_python_of_the_readme_runs_and_finds_what_its_comments_say():
    first, second, known = blocks(README, "python")
    names = {}
    exec(first, names)
    assert names["result"].x == pytest.approx([2.0, 0.0], abs=1e-2)
    assert names["result"].fun == pytest.approx(1.0, abs=1e-2)
    assert names["check"].fun == pytest.approx(1.0, abs=1e-2)
    assert names["check"].message.endswith("independent searches arrived at this worst case.")
    exec(second, names)
    assert names["result"].x == pytest.approx([5.0] * 3, abs=1e-3)
    exec(known, names)
    assert names["second"].fun <= names["first"].fun
    assert names["second"].x == pytest.approx([2.0, 0.0], abs=1e-2)


def recipe(target):
    """The command that `make` runs for a target, once the environment is set up, without the folder it is in."""
    done = subprocess.run(
        ["make", "-n", "--no-print-directory", target], cwd=ROOT, capture_output=True, text=True, check=True
    )
    command = done.stdout.splitlines()[-1]
    assert command.startswith(".venv/bin/")
    return command.removeprefix(".venv/bin/")


def shorten(study, monkeypatch):
    """Leave hardly any runs to the example of a study, and to the quick version of the paper."""
    text = study.read_text(encoding="utf-8")
    for long, short in {"10_000]": "2_000]", "repetitions = 5": "repetitions = 2"}.items():
        assert text.count(long) == 1
        text = text.replace(long, short)
    study.write_text(text, encoding="utf-8")
    monkeypatch.setattr(studies, "QUICK_REPETITIONS", 1)
    monkeypatch.setattr(studies, "QUICK_BUDGETS", (100, 1_000))


def test_every_command_of_the_readme_works(tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("*.sqlite"))
    shorten(tmp_path / "examples" / "study.toml", monkeypatch)
    monkeypatch.chdir(tmp_path)
    lines = lines_of(README, "sh")
    assert len(lines) == 11
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[0] == "make":
            words = recipe(words[1]).split()
        if words[0] == "reckless":
            parsed(words)
        small = [extra for begin, extra in SMALL.items() if " ".join(words).startswith(begin)]
        words += [word for extra in small for word in extra.split()]
        if words[0] == "pytest":
            assert re.search(r"\d+ tests collected", run_script(ROOT, "-m", *words)), line
        else:
            assert words[0] == "reckless", f"nobody knows how to run {line!r} here"
            assert called(words, monkeypatch) == 0, line
            captured = capsys.readouterr()
            assert captured.out or captured.err, line
    written = {"filter.png", "reckless-paper.sqlite", "reckless-paper.html", "report.html", "examples"}
    assert {path.name for path in tmp_path.iterdir()} == written
    assert (tmp_path / "examples" / "study.sqlite").exists()


def test_the_package_can_be_installed_as_the_readme_says():
    assert "`pip install .`" in README.read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    files = [
        project["project"]["readme"],
        *project["project"]["license-files"],
        project["tool"]["hatch"]["version"]["path"],
    ]
    (package,) = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert all((ROOT / name).is_file() for name in (*files, f"{package}/__init__.py"))
    module, function = project["project"]["scripts"]["reckless"].split(":")
    assert getattr(import_module(module), function) is main
    for requirement in project["project"]["dependencies"]:
        assert distribution(re.split(r"[<>=]", requirement)[0]).version
