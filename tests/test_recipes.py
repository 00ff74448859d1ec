"""The recipes of CONTRIBUTING.md, followed word by word in an empty folder."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
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
    bench, export, report, *_ = commands("Add a problem")
    assert "tank.py:tank" in run(tmp_path, bench)
    rows = run(tmp_path, export).splitlines()
    assert sum(row.startswith("tank.py:tank,") and ",optimum," in row for row in rows) == 4
    assert sum(row.startswith("mine.py:problem:load=0.5,") and ",best known," in row for row in rows) == 4
    assert sum("L1" in row for row in rows) == 4
    run(tmp_path, report)
    assert "mine.py:problem:load=0.5" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_figure(tmp_path):
    write(tmp_path, "Add a figure")
    (command,) = commands("Add a figure")
    assert "1 passed" in run(tmp_path, command)
    assert (tmp_path / "estimates.png").stat().st_size > 5000


def test_a_method_of_a_file(tmp_path):
    write(tmp_path, "Add a method")
    script, solve, *_ = commands("Add a method")
    assert run(tmp_path, script) == "True my_method.py:Mine:scale=0.3\n"
    assert "my_method.py:Mine:scale=0.3" in run(tmp_path, solve)


def unpack(folder, target):
    """Put a distribution where `pip install --target` would, without a build backend, which would need a network."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    ((group, points),) = project["entry-points"].items()
    about, modules = f"{name}-{version}.dist-info", {point.partition(":")[0] for point in points.values()}
    texts = {
        **{f"{module}.py": (folder / f"{module}.py").read_text(encoding="utf-8") for module in modules},
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/entry_points.txt": f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items()),
    }
    (target / about).mkdir(parents=True)
    for path, text in texts.items():
        (target / path).write_text(text, encoding="utf-8")


def installed(tmp_path, heading):
    """Install the distribution of a recipe; return where to, and the command that follows there."""
    distribution, target = tmp_path / "distribution", tmp_path / "target"
    distribution.mkdir()
    write(distribution, heading)
    *_, install, solve = commands(heading)
    assert install == "pip install ."
    unpack(distribution, target)
    return target, solve


def test_a_method_of_an_installed_distribution(tmp_path):
    target, solve = installed(tmp_path, "Add a method")
    assert "mine:scale=0.3" in run(tmp_path, solve, path=[target])
    assert "Try random x around the center" in run(tmp_path, "reckless methods", path=[target])
    study = 'problems = ["L1"]\nmethods = ["mine"]\nbudgets = [50]\nrepetitions = 1\n'
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    assert "mine" in run(tmp_path, "reckless bench run study.toml --workers 1", path=[target])


def test_a_problem_of_an_installed_distribution(tmp_path):
    target, solve = installed(tmp_path, "Add a problem")
    assert re.search(r"tank.*optimal worst case:? +1\b", run(tmp_path, solve, path=[target]), flags=re.DOTALL)
    assert "(x - y)^2" in run(tmp_path, "reckless problems", path=[target])


def test_a_method_of_this_package_is_one_file(tmp_path):
    blocks = files("Add a method")
    shutil.copytree(SOURCES / "reckless", tmp_path / "reckless")  # with its compiled kernels
    text = blocks["my_method.py"] + blocks["src/reckless/methods/mine.py, at its end"]
    (tmp_path / "reckless" / "methods" / "mine.py").write_text(text, encoding="utf-8")
    assert "around the center" in run(tmp_path, "reckless methods", path=[tmp_path])
    assert "mine:scale=0.3" in run(tmp_path, "reckless solve L1 --method mine:scale=0.3 --maxfev 500", path=[tmp_path])


def test_a_set(tmp_path):
    write(tmp_path, "Add a set")
    assert [run(tmp_path, command) for command in commands("Add a set")] == ["0.5\n[ 5.969 -0.687]\n"]
