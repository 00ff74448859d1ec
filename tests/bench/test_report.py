"""The report as text: well-formed, complete, escaped, self-contained, small."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from click.testing import CliRunner

from bench.report_samples import METHODS, PROBLEMS, record, study
from reckless import minimax
from reckless.bench import paper
from reckless.bench.problems import problem
from reckless.bench.record import Reference
from reckless.bench.report import build_report, explain, study_figures
from reckless.bench.report.groups import family, group_records, scaled_families
from reckless.bench.report.markup import embed_json, number
from reckless.bench.report.words import compare
from reckless.bench.store import Store
from reckless.cli.report import report
from reckless.errors import InvalidArgument

EVIL = '</script><img src="http://evil.example/x" onerror="alert(1)">&amp;\'"'
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """What a page holds: elements with their attributes, the text of each id, and tags that do not match."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.mismatches: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.mismatches += self._open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.mismatches.append(tag)

    def handle_data(self, data):
        if not self._open or self._open[-1] not in ("script", "style"):
            self.text += data

    def all(self, attribute: str) -> list[str]:
        return [str(attrs[attribute]) for _, attrs in self.elements if attribute in attrs]


def paper_records(n_runs: int = 2):
    """Made-up runs of every cell group of the full paper."""
    made = {}
    for experiment in paper.experiments():
        for cell in experiment.cells():
            if cell.repetition < n_runs:
                made[cell] = record(*cell, regret=1e-3 * (1 + cell.seed % 97), x=np.full(9, 0.1))
    return list(made.values())


@pytest.fixture(scope="module")
def paper_page() -> str:
    return build_report(paper_records(), quick=True, provenance={"command": "reckless paper --quick"})


@pytest.fixture(scope="module")
def evil_page() -> str:
    records = study(problems=("L1", EVIL), methods=("mmde", EVIL, "third"), budgets=(100, 1000), n_runs=3)
    return build_report(records, quick=False, provenance={EVIL: EVIL})


def test_every_tag_is_closed_and_every_id_is_there_once(paper_page):
    page = Page(paper_page)
    assert page.mismatches == []
    ids = page.all("id")
    assert len(ids) == len(set(ids))
    targets = [href[1:] for href in page.all("href") if href.startswith("#")]
    assert set(targets) <= set(ids)


def test_the_paper_has_all_its_experiments_figures_claims_and_published_medians(paper_page):
    page = Page(paper_page)
    ids = set(page.all("id"))
    for name in paper.EXPERIMENTS:
        assert {name, f"{name}-results", f"{name}-ranks"} <= ids
    for name in ("steps", "variants", "convergence"):
        assert {f"{name}-convergence-median", f"{name}-convergence-mean", f"{name}-runtimes"} <= ids
    assert {"scalability-scalability-median", "filter-runs", "filter-error-filter", "landscape"} <= ids
    for claim in paper.CLAIMS:
        assert claim.text in page.text
    data = json.loads(re.search(r'id="report-data">(.*?)</script>', paper_page, re.S)[1])
    (convergence,) = [e for e in data["experiments"] if e["name"] == "convergence"]
    wanted = {"problem": "L1", "method": "mmde", "budget": 100_000}
    (row,) = [g for g in convergence["groups"] if wanted.items() <= g.items()]
    assert row["published_median"] == 1.24
    assert paper.QUICK_STATEMENT in page.text
    assert "judged on a part of the study only" in page.text


def test_the_table_shows_what_the_records_say():
    records = [record("L1", "mmde", 100, i, regret) for i, regret in enumerate([3.0, 1.0, 0.0, -2.0])]
    page = Page(build_report(records, quick=False, provenance={}))
    values = page.all("data-v")
    assert values[:8] == ["100", "4", "0.5", "-0.5", "1.5", "0.5", repr(float(np.std([3, 1, 0, -2], ddof=1))), "2"]
    assert "Negative regrets, reported as measured: 1, down to -2.00e+00" in page.text


def test_hostile_names_are_only_text(evil_page):
    page = Page(evil_page)
    assert page.mismatches == []
    assert not [tag for tag, _ in page.elements if tag == "img"]
    assert not [a for _, attrs in page.elements for a in attrs if a.startswith("on")]
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert EVIL in page.text


def test_nothing_is_loaded_from_anywhere(evil_page, paper_page):
    for text in (evil_page, paper_page):
        page = Page(text)
        for attribute in ("href", "src", "xlink:href", "action", "data", "poster", "srcset"):
            assert all(v.startswith(("#", "data:")) for v in page.all(attribute)), attribute
        styles = "".join(re.findall(r"<style>(.*?)</style>", text, re.S)) + "".join(page.all("style"))
        assert not re.search(r"url\((?!#)|@import|https?:", styles)
        (policy,) = [a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_json_cannot_end_its_script_element():
    data = {"a": "</script><!--", "b": [1.5, None]}
    encoded = embed_json(data)
    assert "<" not in encoded
    assert json.loads(encoded) == data


def test_the_full_paper_study_stays_below_three_megabytes(paper_page):
    # The size does not depend on the runs but for the dots of the filter: 60 more of 8 groups, 150 bytes each.
    assert len(paper_page.encode()) < 2_800_000


def test_the_same_records_give_the_same_text():
    records = [study(PROBLEMS[:2], METHODS[:2], (100, 1_000), n_runs=2) for _ in range(2)]
    first, second = (build_report(same, quick=False, provenance={"a": "b"}) for same in records)
    assert first == second


def test_a_study_of_ones_own_needs_nothing_of_the_paper():
    records = study(problems=("mine.py:f", "f2:n=2,b=3", "f2:n=10,b=3"), methods=("a", "b"), budgets=(50,), n_runs=3)
    page = Page(build_report(records, quick=False, provenance={}))
    assert {"comparison", "comparison-runs", "comparison-scalability-median"} <= set(page.all("id"))
    assert "What the paper claimed" not in page.text


def test_one_method_on_one_problem_makes_a_report_without_a_test():
    page = Page(build_report([record("L1", "mmde", 10, 0, 1.0)], quick=False, provenance={}))
    assert "No test: it takes two blocks and two methods or more (complete blocks: 1, methods: 1)" in page.text


def best_known_records():
    known = [record("L4", m, 100, i, 1.0 + i) for m in ("mmde", "auto") for i in range(3)]
    own = [
        record("my.py:tank", m, 100, i, 0.5 + i + at, reference=Reference(0.5, "best known"))
        for at, m in enumerate(("mmde", "auto"))
        for i in range(3)
    ]
    return [*known, *own]


def test_a_regret_against_the_best_known_is_marked_wherever_it_is_shown():
    page = build_report(best_known_records(), provenance={})
    seen = Page(page)
    assert "measured against the best worst case known" in seen.text
    assert "my.py:tank: 0.5" in seen.text
    (table,) = re.findall(r'<table id="comparison-results".*?</table>', page, re.S)
    assert [re.findall("<td>([^<]*)</td>", row)[:2] for row in table.split("<tr")[2:]] == [
        ["L4", "optimum"],
        ["L4", "optimum"],
        ["my.py:tank", "best known"],
        ["my.py:tank", "best known"],
    ]
    assert "regret against" in table
    (figure,) = re.findall(r'<figure id="comparison-runs".*?</figure>', page, re.S)
    assert figure.count("against best known") > figure.count("<svg") == 2
    assert "Where no optimum is known" in figure
    tips = [tip for tip in seen.all("data-tip") if "my.py:tank" in tip]
    assert tips
    assert all("(against best known)" in tip for tip in tips)
    data = json.loads(re.search(r'id="report-data">(.*?)</script>', page, re.S)[1])
    found = {(g["problem"], g["against"], g["reference"]) for g in data["experiments"][0]["groups"]}
    assert found == {("L4", "optimum", 0.0), ("my.py:tank", "best known", 0.5)}


def test_where_all_optima_are_known_nothing_speaks_of_the_best_known():
    records = [r for r in best_known_records() if r.problem == "L4"]
    assert "best known" not in Page(build_report(records, provenance={})).text


def test_the_title_is_that_of_the_study_and_only_text():
    page = build_report(best_known_records(), title=EVIL, provenance={})
    assert Page(page).mismatches == []
    assert EVIL in Page(page).text


def test_numbers_are_written_in_full_and_times_in_their_unit():
    runs = [record("p", "mmde", 14_400, 0, 0.5, seconds=4.3)]
    seen = Page(build_report(runs, provenance={}))
    assert "14,400evaluations" in seen.text
    assert "4.3 scomputing" in seen.text
    assert "1.44e+04" not in seen.text


def test_means_are_folded_away_behind_the_medians():
    page = build_report(study(PROBLEMS[:2], METHODS[:2], n_runs=2), provenance={})
    assert page.index("comparison-convergence-median") < page.index("<details>") < page.index("convergence-mean")


@pytest.mark.parametrize(
    ("runs", "problem_shown"),
    [
        ([("L4", "reckless-cr")], "L4"),  # the recorded path
        ([("f5", "mmde"), ("L4", "mmde"), ("my.py:tank", "mmde")], "L4"),
        ([("my.py:tank", "mmde")], None),  # not imported
        ([("L4:nothing=3", "mmde"), ("nowhere", "mmde")], None),
    ],
)
def test_the_picture_of_minimax_is_of_a_problem_of_the_study(runs, problem_shown):
    size = {"f5": 20}
    records = [record(p, m, 100, i, 0.5 + i, x=np.full(size.get(p, 1), 2.0)) for p, m in runs for i in range(2)]
    drawing = explain.draw_landscape(records)
    page = Page(build_report(records, provenance={}))
    assert "the worst case F(x) is" in page.text.lower().replace("f(x)", "F(x)")
    if problem_shown is None:
        assert drawing is None
        assert "landscape" not in page.all("id")
        return
    assert drawing.caption.startswith(f"Problem {problem_shown}.")
    has_path = runs[0][1] == "reckless-cr"
    assert ("one run of reckless-cr" if has_path else "2 runs of mmde, 100 evaluations") in drawing.caption


def test_a_run_without_a_regret_counts_as_infinite():
    records = [record("L1", m, 10, i, np.nan if i else 1.0) for m in ("a", "b") for i in range(4)]
    page = Page(build_report(records, quick=False, provenance={}))
    assert "3 infinite" in page.text or "6 infinite" in page.text


def test_the_figures_can_be_had_one_by_one_with_their_legends():
    figures = study_figures(study(PROBLEMS[:2], METHODS[:3], n_runs=2))
    assert set(figures) == {
        "comparison-convergence-median",
        "comparison-convergence-mean",
        "comparison-runtimes",
        "comparison-ranks",
    }
    (legend,) = figures["comparison-convergence-median"].legends
    assert [text.get_text() for text in legend.get_texts()] == list(METHODS[:3])
    assert len(figures["comparison-convergence-median"].axes) == 2


def test_no_records_are_refused_with_a_sentence():
    with pytest.raises(InvalidArgument, match="needs one finished run or more"):
        build_report([], quick=False, provenance={})


def test_blocks_that_lack_a_method_are_left_out_and_said():
    records = [r for r in study(n_runs=2) if (r.problem, r.method) != ("L3", "mmde")]
    comparison = compare(group_records(records), {})
    assert comparison.blocks == "5 problems at their largest budget"
    assert any("no runs there: 1" in sentence for sentence in comparison.sentences)


def test_two_blocks_are_told_to_be_too_few():
    problems = ("L1:n=2", "L1:n=50", "L2:n=2", "L2:n=50")
    comparison = compare(group_records(study(problems=problems, budgets=(100,), n_runs=2)), {})
    assert comparison.ranks.n_blocks == 2
    assert "so the test cannot reject, whatever the data" in comparison.sentences[0]
    assert comparison.note == "2 blocks are too few for a test of 4 methods."


def test_budgets_of_a_problem_are_no_blocks_of_their_own():
    records = study(budgets=(100, 100_000))
    last = [record for record in records if record.budget == 100_000]
    several, one = (compare(group_records(some), {}) for some in (records, last))
    assert several.blocks == one.blocks == "6 problems at their largest budget"
    assert several.sentences[:-1] == one.sentences
    assert several.sentences[-1].startswith("Runs of one problem with several budgets or sizes depend on each other")


# Medians of A, B and C over eight problems: A first, B second everywhere; and A ahead of B by chance.
ORDERED = [(1.0, 2.0, 3.0)] * 8
MIXED = [(1.0, 2.0), (2.0, 1.0)] * 4


def made(scores):
    names = "ABC"[: len(scores[0])]
    records = [record(f"p{i}", m, 50, 0, s) for i, row in enumerate(scores) for m, s in zip(names, row, strict=True)]
    return compare(group_records(records), {})


def test_two_methods_meet_in_one_signed_rank_test():
    comparison = made([row[:2] for row in ORDERED])
    where = "8 problems at their largest budget"
    assert comparison.sentences[0] == (
        f"Wilcoxon's signed-rank test over {where}, on logarithms of the medians: p = 0.0078, A is ahead of B."
    )
    assert comparison.verdict == f"over {where} (Wilcoxon p = 0.0078): A is ahead of B."
    assert comparison.ranks is None
    assert [list(row.cells) for row in comparison.pairs] == [["A", "B", 8, 0, 0, 1.0, 1.0]]
    told = " ".join(comparison.sentences)
    assert not re.search("Friedman|Iman|Nemenyi", told)


def test_two_methods_without_a_difference_are_said_to_be_so():
    comparison = made(MIXED)
    assert "no difference is shown, which is no proof of equality" in comparison.sentences[0]
    few = made(ORDERED[:3] and [row[:2] for row in ORDERED[:3]])
    assert "cannot reject, whatever the data. 3 blocks that differ give p = 0.25 at best." in few.sentences[0]


def test_three_methods_that_differ_are_told_apart_by_one_test_more():
    comparison = made(ORDERED)
    assert comparison.sentences[0].startswith("Friedman's test over 8 problems")
    assert comparison.sentences[0].endswith("p = 0.00034: the methods differ (Kendall's W = 1.00).")
    assert comparison.sentences[1].startswith("Nemenyi's test: With 8 blocks and 3 methods")
    assert comparison.note == ""
    assert len(comparison.pairs) == 3


def test_three_methods_that_do_not_differ_are_not_tested_in_pairs():
    comparison = made([(1.0, 2.0, 3.0), (3.0, 1.0, 2.0), (2.0, 3.0, 1.0)] * 3)
    assert comparison.sentences[0].endswith("no difference is shown (Kendall's W = 0.00), so no pairs are tested.")
    assert not any("Nemenyi" in sentence for sentence in comparison.sentences)
    assert comparison.note == "Friedman p = 1: no difference is shown, so no pairs are tested."
    assert "significantly" not in comparison.verdict


def test_infinite_medians_are_behind_or_equal():
    comparison = made([(1.0, np.inf), (np.inf, np.inf)] * 4)
    assert list(comparison.pairs[0].cells)[2:6] == [4, 0, 4, 1.0]


def test_sizes_make_a_family():
    groups = group_records(study(problems=("L1:n=10", "L1:n=2", "L3", "f5:n=5,b=3"), n_runs=1))
    assert scaled_families(groups) == {"L1": {"L1:n=2": 2, "L1:n=10": 10}}
    assert family("f5:n=5,b=3") == "f5:b=3"


@pytest.mark.parametrize(
    ("value", "shown"), [(1e-20, "1.00e-20"), (1234.0, "1,234"), (np.inf, "infinite"), (np.nan, ""), (0.5, "0.5")]
)
def test_numbers_are_shown_for_reading(value, shown):
    assert number(value) == shown


def test_the_command_writes_a_report_on_a_store(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.append((r, "{}") for r in study(problems=PROBLEMS[:2], methods=METHODS[:2], n_runs=2))
    out = tmp_path / "report.html"
    result = CliRunner().invoke(report, [str(tmp_path / "s.sqlite"), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "L2" in Page(out.read_text(encoding="utf-8")).text


def test_the_command_refuses_an_empty_store_and_a_missing_directory(tmp_path):
    with Store(tmp_path / "s.sqlite"):
        pass
    empty = CliRunner().invoke(report, [str(tmp_path / "s.sqlite"), "--out", str(tmp_path / "r.html")])
    assert "holds no finished run yet" in str(empty.exception)
    missing = CliRunner().invoke(report, [str(tmp_path / "s.sqlite"), "--out", str(tmp_path / "no" / "r.html")])
    assert "there is no directory" in str(missing.exception)
    assert not (tmp_path / "r.html").exists()


def test_a_report_runs_nothing():
    code = (
        "import sys; from bench.report_samples import study; from reckless.bench.report import build_report\n"
        "build_report(study(('L1', 'L2'), n_runs=2), quick=False, provenance={})\n"
        "print([name for name in sys.modules if name.startswith(('reckless.run', 'reckless.evaluation'))])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "[]\n"


def test_the_recorded_path_is_that_of_the_run_it_names():
    task = problem(explain.PROBLEM)
    boxes = task.x_bounds, task.y_bounds
    result = minimax(
        task.function, *boxes, maxfev=explain.BUDGET, method=explain.METHOD, rng=explain.SEED, vectorized=True
    )
    path = [(*moment.x, *moment.y) for moment in result.history]
    np.testing.assert_allclose(path, explain.PATH, rtol=1e-6, atol=1e-6)


def test_a_report_does_not_import_the_files_that_a_store_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("open('was-run', 'w').close()")
    runs = [record(name, "mmde", 100, r, 0.5) for name in ("evil.py:tank", "evil.py:tank,n=1") for r in range(2)]
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(run, "MMDE()") for run in runs])
    result = CliRunner().invoke(report, ["s.sqlite"])
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir(tmp_path)) == ["evil.py", "report.html", "s.sqlite"]


def test_a_size_that_the_name_does_not_state_is_that_of_the_runs():
    runs = [record("L1", "mmde", 100, 0, 0.5, x=np.ones(3)), record("L1:n=2", "mmde", 100, 0, 0.5, x=np.ones(2))]
    assert scaled_families(group_records(runs)) == {"L1": {"L1:n=2": 2, "L1": 3}}


def test_names_that_no_page_can_hold_are_escaped():
    runs = study(problems=("L1", "L2"), methods=("mmde", "auto"), budgets=(100,), n_runs=2)
    for name in ("\x1b]0;owned\x07", "\x00", "\ufffe", "L1:n=0", "n=\u00b2", "$\\frac{$"):
        runs += [record(name, "mmde", 100, 0, 0.5), record("L1", name, 100, 0, 0.5)]
    page = build_report(runs, quick=False, provenance={})
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\ufffe]", page)
