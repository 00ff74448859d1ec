"""What docs/simulators.md and the example show works as printed."""

import json
import re
import sys
import tomllib

import pytest

from reckless.cli import main
from reckless.cli.config import read_config


def blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(), flags=re.DOTALL)


def test_the_python_that_can_run_here_runs(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(request.config.rootpath / "docs" / "simulators.md", "python")
    names = {}
    exec(code, names)
    assert names["result"].nfev == 200
    assert names["result"].first_failure is None
    assert (tmp_path / "run.journal").exists()


def test_the_problem_file_can_be_read(request, tmp_path):
    (content,) = blocks(request.config.rootpath / "docs" / "simulators.md", "toml")
    (tmp_path / "problem.toml").write_text(content)
    written = {key for key in tomllib.loads(content) if not key.endswith("integrality")}  # part of the sets
    assert read_config(tmp_path / "problem.toml").keys() == written


def test_the_example_is_solved(request, monkeypatch, capsys):
    path = request.config.rootpath / "examples" / "simulator" / "problem.toml"
    monkeypatch.setattr(sys, "argv", ["reckless", "solve", str(path), "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    result = json.loads(capsys.readouterr().out)
    assert not ended.value.code
    assert result["nfev"] <= 600
    assert result["y"][0] == pytest.approx(0.5, abs=0.1)  # the load stands in the middle
