"""What the README and the examples show works as printed."""

import re
import runpy
import shlex
import sys

import pytest

from reckless.cli import main


def blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(), flags=re.DOTALL)


def test_the_python_of_the_readme_runs_and_finds_what_its_comments_say(request):
    first, second = blocks(request.config.rootpath / "README.md", "python")
    names = {}
    exec(first, names)
    assert names["result"].x == pytest.approx([2.0, 0.0], abs=1e-2)
    assert names["result"].fun == pytest.approx(1.0, abs=1e-2)
    assert names["check"].message.endswith("independent searches arrived at this worst case.")
    exec(second, names)
    assert names["result"].x == pytest.approx([5.0] * 3, abs=1e-3)


def test_the_commands_of_the_readme_run(request, monkeypatch, capsys):
    monkeypatch.chdir(request.config.rootpath)
    lines = [
        line
        for block in blocks(request.config.rootpath / "README.md", "sh")
        for line in block.splitlines()
        if line.startswith("reckless ") and "bench" not in line and "paper" not in line
    ]
    assert len(lines) >= 4
    for line in lines:
        monkeypatch.setattr(sys, "argv", shlex.split(line, comments=True))
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code, line
        assert capsys.readouterr().out


def test_the_example_tunes_an_absorber_and_verifies_it(request, capsys):
    runpy.run_path(str(request.config.rootpath / "examples" / "spring.py"), run_name="__main__")
    out = capsys.readouterr().out
    estimate, verification = map(float, re.search(r"worst case ([\d.]+), verification ([\d.]+)", out).groups())
    assert estimate == pytest.approx(verification, rel=1e-3)
