"""`reckless solve --verify`: what a verification adds to what is printed."""

import json

import pytest

import reckless

BOWL = """
def bowl(x, y):
    return (x[0] - 2.0) ** 2 - (y[0] - 5.0) ** 2 + 3.0

def often(x, y):
    return float("nan") if y[0] > 8 else bowl(x, y)
"""


def bowl(x, y):
    return (x[0] - 2.0) ** 2 - (y[0] - 5.0) ** 2 + 3.0


@pytest.fixture
def solve(run, tmp_path):
    (tmp_path / "bowl.py").write_text(BOWL)

    def call(*options, function="bowl"):
        common = ["--x", "1:4", "--y", "2:9", "--maxfev", "400", "--method", "reckless", "--rng", "7"]
        return run("solve", f"{tmp_path / 'bowl.py'}:{function}", *common, *options)

    return call


@pytest.mark.parametrize(("options", "verify"), [(["--verify"], True), (["--verify", "5e2"], 500)])
def test_the_verification_is_the_one_of_python(solve, options, verify):
    result = reckless.minimax(bowl, [(1, 4)], [(2, 9)], maxfev=400, method="reckless", rng=7, verify=verify)
    code, out, err = solve(*options, "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["verification"]["fun"] == result.verification.fun
    assert said["verification"]["y"] == result.verification.y.tolist()
    for key in ("nfev", "n_failed", "n_starts", "n_agreed", "is_exact", "success", "message"):
        assert said["verification"][key] == result.verification[key]
    assert (said["gap"], said["verdict"]) == (result.gap, result.verdict)
    assert said["nfev"] == 400


def test_the_verdict_takes_the_place_of_the_advice(solve):
    _, plain, _ = solve()
    assert "Not verified: " in plain
    code, out, _ = solve("--verify")
    assert code == 0
    for words in ("worst case found: ", "independent searches arrived at this worst case."):
        assert words in out
    assert out.endswith("The estimate stands: independent searches found nothing worse.\n")
    assert "Not verified" not in out


def test_without_a_verification_its_place_in_the_data_is_empty(solve):
    said = json.loads(solve("--json")[1])
    assert said["verification"] is said["gap"] is said["verdict"] is None


def test_failures_of_the_verification_are_counted(solve):
    assert " failed. " in solve("--verify", function="often")[1]


def test_a_verification_without_any_value_is_still_json(solve, tmp_path):
    (tmp_path / "bowl.py").write_text("def never(x, y):\n    return float('nan')\n")
    code, out, _ = solve("--verify", "--json", function="never")
    assert code == 1
    said = json.loads(out, parse_constant=pytest.fail)
    assert (said["fun"], said["gap"]) == ("nan", None)
    assert said["verdict"].startswith("There is nothing to compare")


def test_a_list_of_scenarios_is_verified_exactly(solve, run, tmp_path):
    solve()
    (tmp_path / "loads.csv").write_text("2\n4.5\n9\n")
    target = f"{tmp_path / 'bowl.py'}:bowl"
    code, out, _ = run("solve", target, "--x", "1:4", "--y-scenarios", tmp_path / "loads.csv", "--verify", "30")
    assert code == 0
    assert "All 3 scenarios were tried: this is the exact worst case." in out
    assert out.endswith("The estimate is the exact worst case.\n")


@pytest.mark.parametrize(("line", "n"), [("verify = true", 400), ("verify = 150", 150), ("verify = false", None)])
def test_a_file_may_ask_for_a_verification(solve, run, tmp_path, line, n):
    solve()
    (tmp_path / "problem.toml").write_text(
        f'objective = "bowl.py:bowl"\nx_bounds = [[1, 4]]\ny_bounds = [[2, 9]]\nmaxfev = 400\nrng = 7\n{line}\n'
    )
    verification = json.loads(run("solve", tmp_path / "problem.toml", "--json")[1])["verification"]
    assert verification is None if n is None else 0.5 * n < verification["nfev"] <= n
    verification = json.loads(run("solve", tmp_path / "problem.toml", "--verify", "90", "--json")[1])["verification"]
    assert verification["nfev"] <= 90


def test_a_verified_run_with_workers_and_a_journal_is_the_same(solve, tmp_path):
    plain = solve("--verify", "--json")
    assert solve("--verify", "--json", "--checkpoint", tmp_path / "run.journal", "--retries", "1") == plain
    assert solve("--verify", "--json", "--checkpoint", tmp_path / "run.journal", "--retries", "1") == plain


def test_brackets_in_a_message_are_shown_as_they_are(solve, tmp_path):
    (tmp_path / "bowl.py").write_text("def bad(x, y):\n    raise KeyError('[/mesh] is missing')\n")
    code, out, _ = solve("--on-error", "ignore", function="bad")
    assert code == 1
    assert "[/mesh] is missing" in out


def test_a_refuted_answer_is_none(run, tmp_path):
    """Four random y miss the worst one; the verification does not."""
    (tmp_path / "bowl.py").write_text(BOWL)
    target, boxes = f"{tmp_path / 'bowl.py'}:bowl", ["--x", "1:4", "--y", "2:9"]
    common = [target, *boxes, "--maxfev", "16", "--method", "random-search", "--rng", "7"]
    assert run("solve", *common)[0] == 0
    code, out, _ = run("solve", *common, "--verify", "500")
    assert code == 1
    assert "The verification refuted the answer" in out
