"""Write docs/reproduction.md with its figures from the store of a full `reckless paper`.

    reckless paper                                           # writes reckless-paper.sqlite
    python benchmarks/reproduction.py reckless-paper.sqlite

The words are those of reproduction.md beside this script; the tables go between its marks `<!-- NAME -->` and
`<!-- end -->`.
"""

import re
import sys
from pathlib import Path

from reckless.bench.figures import to_svg
from reckless.bench.paper import (
    BUDGETS,
    PROBLEMS,
    RIVALS,
    SIZES,
    VARIANT_METHODS,
    Medians,
    judge_claims,
    published_median,
)
from reckless.bench.report import study_figures
from reckless.bench.store import Store

DOCS = Path(__file__).parent.parent / "docs"
FIGURES = (
    "steps-convergence-median",
    "variants-convergence-median",
    "convergence-convergence-median",
    "convergence-convergence-mean",
    "scalability-scalability-median",
    "filter-error-filter",
)


def ratio_word(ours: float, published: float) -> str:
    """How our median stands to the published one: the bar is a factor 10, or both below 1e-9."""
    if max(ours, published) < 1e-9:
        return "both below 1e-9"
    if min(ours, published) <= 0.0:
        return "better" if ours <= 0.0 else "worse"
    ratio = ours / published
    return (
        "within 10" if 0.1 <= ratio <= 10.0 else f"{'better' if ratio < 1 else 'worse'} by {max(ratio, 1 / ratio):.0f}"
    )


def claims_table(records):
    lines = ["| the paper says | where | verdict | what was measured |", "|---|---|---|---|"]
    for claim, verdict in judge_claims(records):
        sentence = verdict.sentence.replace("|", "\\|")  # the error |e| would end the column
        lines.append(f"| {claim.text} | {claim.where} | **{verdict.outcome}** | {sentence} |")
    return lines


def variants_table(medians):
    lines = ["| problem | variant | ours | published | |", "|---|---|---|---|---|"]
    for problem in PROBLEMS:
        for method in VARIANT_METHODS:
            ours, theirs = (
                medians.regret(problem, method, BUDGETS[-1]),
                published_median("variants", problem, method, BUDGETS[-1]),
            )
            name = method.removeprefix("reckless-").upper()
            lines.append(f"| {problem} | {name} | {ours:.2g} | {theirs:.2g} | {ratio_word(ours, theirs)} |")
    return lines


def convergence_table(medians):
    lines = [
        "| problem | method | " + " | ".join(f"{budget:.0e}" for budget in BUDGETS) + " |",
        "|---|---|" + "---|" * 4,
    ]
    for problem in PROBLEMS:
        for method in RIVALS:
            cells = []
            for budget in BUDGETS:
                theirs = published_median("convergence", problem, method, budget)
                cells.append(f"{medians.regret(problem, method, budget):.2g} ({theirs:.2g})")
            lines.append(f"| {problem} | `{method}` | " + " | ".join(cells) + " |")
    return lines


def scalability_table(medians):
    lines = ["| problem | method | " + " | ".join(f"n = {n}" for n in SIZES) + " |", "|---|---|" + "---|" * len(SIZES)]
    for name in ("L1", "L2"):
        for method in RIVALS:
            cells = []
            for n in SIZES:
                theirs = published_median("scalability", f"{name}:n={n}", method, 10_000 * n)
                cells.append(f"{medians.at_size(name, method, n):.2g} ({theirs:.2g})")
            lines.append(f"| {name} | `{method}` | " + " | ".join(cells) + " |")
    return lines


def filter_table(medians):
    lines = ["| method | `filter`: worst \\|e\\| | `filter-signed`: worst e | published |", "|---|---|---|---|"]
    for method in RIVALS:
        ours = [medians.worst_case(problem, method, BUDGETS[-1]) for problem in ("filter", "filter-signed")]
        theirs = published_median("filter", "filter-signed", method, BUDGETS[-1])
        lines.append(f"| `{method}` | {ours[0]:.3g} | {ours[1]:.3g} | {theirs:.3g} |")
    return lines


def replace(page: str, name: str, lines: list[str]) -> str:
    """Put new lines between the marks of that name."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", flags=re.DOTALL)
    assert pattern.search(page), name
    return pattern.sub(lambda marks: marks[1] + "\n".join(lines) + "\n" + marks[2], page)


def main(store_path: str) -> None:
    with Store(store_path, readonly=True) as store:
        records = store.records()
    medians = Medians(records)
    page = Path(__file__).with_suffix(".md").read_text()
    for name, lines in {
        "claims": claims_table(records),
        "variants": variants_table(medians),
        "convergence": convergence_table(medians),
        "scalability": scalability_table(medians),
        "filter": filter_table(medians),
    }.items():
        page = replace(page, name, lines)
    (DOCS / "reproduction.md").write_text(page)
    figures = study_figures(records)
    print("figures there are:", ", ".join(figures))
    for name in FIGURES:
        (DOCS / "figures" / f"paper-{name}.svg").write_text(to_svg(figures[name]))


if __name__ == "__main__":
    main(*sys.argv[1:])
