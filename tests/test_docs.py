"""What the docs show works as printed: their code and commands, the names in them, and numbers of the code."""

import re
import shlex
import stat
import subprocess
import sys
import tomllib

import click
import numpy as np
import pytest

import reckless
from pages import DOCS, FENCE, PAGES, ROOT, blocks, called, lines_of, parsed, run_script
from reckless.cli.config import read_config
from reckless.cli.signals import TERMINATED
from reckless.evaluation.command import GRACE, LONGEST_LINE
from reckless.evaluation.executors import CHEAP_SECONDS, MAX_SENDS
from reckless.evaluation.oneshot import MOST_READ
from reckless.evaluation.path import HOPELESS_DESIGNS
from reckless.evaluation.wire import CHUNK_SECONDS
from reckless.methods.auto import MOST_COORDINATES
from reckless.methods.danskin import tuning as danskin
from reckless.methods.danskin.diagnosis import Cause
from reckless.methods.finite import tuning as finite
from reckless.methods.surrogate import knowledge, rounds, scouting, surrogate, trust, views, warps
from reckless.run.target import ATTACK_PER_COORDINATE

MADE = {"src/reckless/methods/mine.py", "examples/study.sqlite"}  # what a recipe and a command write


def every_block(language, pages=DOCS):
    return [
        pytest.param(text, id=f"{page.name}, {k}") for page in pages for k, text in enumerate(blocks(page, language), 1)
    ]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with the files that the docs speak of: a program, a simulator, a list of loads."""
    program = tmp_path / "simulate"
    *_, text = blocks(ROOT / "docs" / "programs.md", "python")
    program.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    attack = tmp_path / "attack"
    attack.write_text(
        f"#!{sys.executable} -IS\nimport sys\nprint(sum(float(w.split('=')[-1]) for w in sys.argv[1:]))\n"
    )
    attack.chmod(attack.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "simulate.py").write_text("def f(x, y):\n    return (x[0] - y[0]) ** 2 + x[1]\n", encoding="utf-8")
    (tmp_path / "loads.csv").write_text("1.0\n2.5\n3.0\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", every_block("python"))
def test_the_python_of_the_docs_runs(workplace, text):
    (workplace / "block.py").write_text(text, encoding="utf-8")
    run_script(workplace, "block.py")


@pytest.mark.parametrize("text", every_block("python no-run"))
def test_the_python_that_cannot_run_here_compiles(text):
    assert compile(text, "block", "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_is_of_a_kind_that_a_test_knows(page):
    kinds = {kind for kind, _ in FENCE.findall(page.read_text(encoding="utf-8"))}
    assert kinds <= {"python", "python no-run", "sh", "toml", ""}


def test_the_problem_files_of_the_docs_can_be_read(workplace):
    for name in ("simulators.md", "programs.md"):
        for content in blocks(ROOT / "docs" / name, "toml"):
            path = workplace / "problem.toml"
            path.write_text(content, encoding="utf-8")
            written = {key for key in tomllib.loads(content) if not key.endswith("integrality")}  # part of the sets
            assert read_config(path).keys() == written


def test_the_job_script_is_bash_and_its_command_can_be_parsed():
    (script,) = (text for text in blocks(ROOT / "docs" / "clusters.md", "sh") if text.startswith("#!/bin/bash"))
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert "--requeue" in script
    (command,) = (
        line for line in script.replace("\\\n", " ").splitlines() if " reckless " in line and not line.startswith("#")
    )
    words = shlex.split(command.replace("$SLURM_CPUS_PER_TASK", "16").partition(" > ")[0])
    context = parsed(words[words.index("reckless") :])
    assert (context.params["workers"], context.params["checkpoint"]) == (16, "run.journal")
    assert f'"$code" -eq {TERMINATED} ' in script


def test_the_study_file_of_the_docs_is_the_example():
    (content,) = blocks(ROOT / "docs" / "studies.md", "toml")
    assert tomllib.loads(content) == tomllib.loads((ROOT / "examples" / "study.toml").read_text(encoding="utf-8"))


def test_a_study_compares_a_method_of_a_file(tmp_path, monkeypatch, capsys):
    method, *_ = (text for text in blocks(ROOT / "CONTRIBUTING.md", "python") if text.startswith("# my_method.py"))
    (tmp_path / "my").mkdir()
    (tmp_path / "my" / "method.py").write_text(method, encoding="utf-8")
    (line,) = re.findall(r"`(methods = .*?)`", (ROOT / "docs" / "studies.md").read_text(encoding="utf-8"))
    study = f'problems = ["L1"]\n{line}\nbudgets = [50]\nrepetitions = 1\n'
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert called(["reckless", "bench", "run", "study.toml", "--workers", "1"], monkeypatch) == 0
    assert re.search(r"L1 +50 +[\d.]+ \(1\) +[\d.]+ \(1\)", capsys.readouterr().out)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_can_be_parsed(page):
    lines = [line for line in lines_of(page, "sh", "") if line.startswith("reckless ")]
    inline = re.findall(r"`(reckless [a-z][^`]*)`", page.read_text(encoding="utf-8"))
    for line in (*lines, *inline):
        parsed(shlex.split(" ".join(line.split()), comments=True))


def test_a_command_that_does_not_exist_is_noticed():
    with pytest.raises(AssertionError, match="there is no command repeat"):
        parsed(["reckless", "bench", "repeat", "study.toml"])
    with pytest.raises(click.UsageError):
        parsed(["reckless", "bench", "run", "study.toml", "--quick"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_script_target_and_test_that_is_named_exists(page):
    text = page.read_text(encoding="utf-8")
    for script, options in re.findall(r"python (benchmarks/\w+\.py|examples/\w+\.py)([^`\n#]*)", text):
        parts = (ROOT / script).parent.glob(f"{(ROOT / script).stem}*.py")  # a script may have helpers beside it
        source = "".join(part.read_text(encoding="utf-8") for part in parts)
        for word in re.findall(r"[\w-]+", options.replace(",", " ")):
            assert word in source, f"{script} knows no {word}"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:`|^ {4})make ([a-z-]+)", text, flags=re.MULTILINE):
        assert re.search(rf"^[\w -]*\b{target}\b[\w -]*:", makefile, flags=re.MULTILINE), target
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", text):
        assert f"def {name}(" in tests, name
    for path in re.findall(r"\b((?:tests|src|examples|docs)/[\w./-]*\w)", text):
        assert (ROOT / path).exists() or path in MADE, path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in link:
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    ("method", "y_set", "longest_reserve"),
    [("danskin", [(1, 3)], danskin.effort.most_reserve), ("finite", reckless.Scenarios(np.linspace(1, 3, 40)), 40)],
)
def test_a_longer_run_passes_through_the_answers_of_a_shorter_one(method, y_set, longest_reserve):
    def run(maxfev):
        asked = []

        def f(x, y):
            asked.append((*x, *y))
            return (x[0] - y[0]) ** 2 + 0.1 * x[1] ** 2 * y[0] + np.sin(5.0 * x[0] + y[0])

        return reckless.minimax(f, [(0, 5), (-2, 2)], y_set, maxfev=maxfev, method=method, rng=7), asked

    long, longest = run(3000)
    for maxfev in (100, 400, 1500):
        short, asked = run(maxfev)
        n_reserve = min(int(danskin.effort.reserve_share * maxfev), longest_reserve)
        n_same = maxfev - n_reserve - 60  # a batch that would reach into the reserve is not asked for
        assert asked[:n_same] == longest[:n_same]
        answers = [[(step.nfev, step.fun) for step in r.history if step.nfev <= n_same] for r in (short, long)]
        assert answers[0] == answers[1]


N_RACE = [danskin.effort.n_race // 2**k for k in range(danskin.effort.n_first_y)]
WORDS, ORDINALS = {2: "two", 3: "three", 10: "ten"}, {4: "fourth"}
NUMBERS = [
    ("how-it-works.md", f"{N_RACE[0]} x from a Latin hypercube meet a random y, the better half a second one"),
    ("how-it-works.md", f"the better quarter a third. These are {sum(N_RACE)} evaluations"),
    ("how-it-works.md", f"until less than {100 * danskin.trust.inner:g} % of the predicted decrease is left"),
    ("how-it-works.md", f"accepted if F falls by {100 * danskin.trust.enough:g} % of the predicted decrease"),
    ("how-it-works.md", f"below {danskin.trust.enough:g} a step is refused"),
    (
        "how-it-works.md",
        f"takes {100 * danskin.effort.search_share:g} % of the evaluations so far, or "
        f"{100 * danskin.effort.line_share:g} % if y has one coordinate",
    ),
    ("how-it-works.md", f"until they took {100 * danskin.effort.verify_share:g} % as many evaluations"),
    ("how-it-works.md", f"it also meets the {danskin.effort.n_met} y that were the worst of an x last"),
    ("how-it-works.md", f"{danskin.guards.surge:g} times the range of the first values"),
    ("how-it-works.md", f"When {danskin.effort.n_cornered} or more coordinates of y sit at bounds"),
    (
        "how-it-works.md",
        f"the last {100 * danskin.effort.reserve_share:g} % of `maxfev`, and at most {danskin.effort.most_reserve} "
        "evaluations per coordinate of y",
    ),
    ("how-it-works.md", f"plus {finite.effort.caution:g} times the fastest change seen lately"),
    ("how-it-works.md", f"in parts of at least {finite.effort.n_sweep} scenarios"),
    *(("how-it-works.md", f'| "{cause.value.removeprefix("refused: ")}" |') for cause in Cause),
    ("simulators.md", f"portions of about {1e3 * CHUNK_SECONDS:g} ms of measured work"),
    ("simulators.md", f"takes less than {1e3 * CHEAP_SECONDS:g} ms"),
    ("simulators.md", f"its pairs are sent again, {WORDS[MAX_SENDS]} times at most"),
    ("simulators.md", f"at {WORDS[HOPELESS_DESIGNS]} or more different x"),
    ("simulators.md", f"up to {ATTACK_PER_COORDINATE} (n_y + 1) evaluations of `maxfev`"),
    ("choosing.md", f"with n_x + n_y <= {MOST_COORDINATES} the surrogate finds the valley"),
    ("how-it-works.md", f"it begins, with up to {MOST_COORDINATES} coordinates"),
    (
        "how-it-works.md",
        f"more than {scouting.HOPE:g} standard deviations of the values at mean - {rounds.ATTACK:g} sd",
    ),
    ("how-it-works.md", f"{scouting.N_EACH} evaluations per coordinate of x and y are spent, {scouting.MOST} at most"),
    ("how-it-works.md", f"withstood {scouting.LEAST_WITHSTOOD} attacks in a row"),
    ("how-it-works.md", f"the closing, its last {100 * surrogate.CLOSE_SHARE:g} %"),
    ("surrogate.md", f"begins with it up to n_x + n_y = {MOST_COORDINATES}"),
    (
        "surrogate.md",
        f"{100 * surrogate.CLOSE_SHARE:g} % of the budget, at least {surrogate.LEAST_TO_CLOSE} evaluations, are left",
    ),
    (
        "surrogate.md",
        f"at {100 * knowledge.GROWTH_TO_FIT - 100:.0f} % more data; view, warp and kernel are chosen anew at "
        f"{100 * knowledge.GROWTH_TO_CHOOSE - 100:.0f} % more",
    ),
    ("surrogate.md", f"below {rounds.CAUTIOUS_UNTIL} values, prefer an x with a lower mean + sd"),
    ("surrogate.md", f"the y with the highest mean + {rounds.ATTACK:g} sd"),
    ("surrogate.md", f"explore every {ORDINALS[rounds.EXPLORE_EVERY]} round"),
    ("surrogate.md", f"A warp must win by {warps.WARP_COST:g} nats"),
    ("surrogate.md", f"reaches at most {100 * views.MOST_REACH:g} % of the width of x"),
    ("surrogate.md", f"from {surrogate.LEAST_FOR_NOISE} values on evaluates the pair of the answer once more"),
    ("surrogate.md", f"a top value that {WORDS[warps.N_SHARING]} or more pairs share"),
    ("surrogate.md", f"the highest mean + {trust.CAUTION:g} sd over y at x"),
    ("surrogate.md", f"how wrong the last {trust.N_JUDGED} predictions were"),
    ("surrogate.md", f"fewer than {knowledge.LEAST_VALUES} values"),
    ("surrogate.md", f"wrong by more than {trust.LARGEST_INFLATION:g} times their deviations"),
    ("surrogate.md", f"more than {100 * trust.MOST_OUTLIERS:g} % of the values are farther"),
    ("surrogate.md", f"leaves at most {100 * trust.ARRIVED:g} % of what y matters at x"),
    ("surrogate.md", f"the last {trust.N_LAST_PAIRS} pairs were predicted within {100 * trust.PREDICTED:g} %"),
    ("surrogate.md", f"by less than {100 * trust.STILL:g} % of the box in the last {trust.N_LAST_MOVES} rounds"),
    ("surrogate.md", f"the {knowledge.MOST_POINTS} whose x are nearest to the answer"),
    ("programs.md", f"the last {MOST_READ >> 10} KiB are read"),
    ("programs.md", f"answers within {1e3 * CHEAP_SECONDS:g} ms"),
    ("programs.md", f"still there {WORDS[GRACE]} seconds later is killed"),
    ("programs.md", f"a line of more than {LONGEST_LINE / 2**20:g} MiB"),
]


@pytest.mark.parametrize(("page", "words"), NUMBERS)
def test_a_number_is_the_constant_of_the_code(page, words):
    assert words in " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
