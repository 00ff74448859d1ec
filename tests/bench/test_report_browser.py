"""The report in a real browser: headless Chromium, driven through its own protocol over a pipe.

No test dependency is needed: the protocol is JSON with a zero byte after each message. Where no Chromium is found the
tests say so and skip.
"""

import csv
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.report_samples import BUDGETS, METHODS, record, study
from reckless.bench.report import build_report

CHROMIUM = next(
    (p for n in ("chromium", "chromium-browser", "google-chrome", "chrome") if (p := shutil.which(n))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium found: the report is not tested in a browser")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
# Chromium reads commands from descriptor 3 and answers on 4.
LAUNCHER = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
EVIL = '</script><b>"evil", & co'


class Browser:
    """A tiny client: one browser, one tab."""

    def __init__(self, profile: Path) -> None:
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 50) for fd in (commands, answers)]  # clear of 3 and 4
        launch = [sys.executable, "-c", LAUNCHER, *map(str, high), str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}"]
        self._log = (profile.parent / "chromium.log").open("wb")
        self._process = subprocess.Popen(launch, pass_fds=high, stdout=self._log, stderr=self._log)
        for fd in (commands, answers, *high):
            os.close(fd)
        self._n_sent, self._buffer, self._session = 0, b"", None
        self.events: list[dict] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, command: str, **parameters: object) -> dict:
        """Send a command and wait for its answer; what else happens meanwhile goes to `events`."""
        self._n_sent += 1
        message = {"id": self._n_sent, "method": command, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._n_sent:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _receive(self) -> dict:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], 30.0)
            chunk = os.read(self._answers, 1 << 20) if ready else b""
            assert chunk, "Chromium does not answer; see chromium.log"
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, page: Path) -> None:
        self.events.clear()
        self.send("Page.navigate", url=page.as_uri())
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def run(self, script: str) -> object:
        """The value of a JavaScript expression in the page."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        deadline = time.monotonic() + 20.0
        while not self.run(condition):
            assert time.monotonic() < deadline, f"never true: {condition}"
            time.sleep(0.05)

    def media(self, **features: str) -> None:
        self.send(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": features["scheme"]}]
        )

    def complaints(self) -> list[dict]:
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [event for event in self.events if event.get("method") in kinds]

    def close(self) -> None:
        os.close(self._commands)  # the end of its commands ends the browser
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._answers)
        self._log.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("chromium") / "profile")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def page_path(tmp_path_factory) -> Path:
    records = study(problems=("L1", "L2"), methods=(*METHODS[:2], EVIL), n_runs=4)
    records += [record("L1", "fails", 90, i, float("nan")) for i in range(3)]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(build_report(records, quick=False, provenance={"command": "test"}), encoding="utf-8")
    return path


@pytest.fixture
def page(browser, page_path) -> Browser:
    browser.media(scheme="light")
    browser.open(page_path)
    return browser


TABLE = "document.getElementById('comparison-results')"


def column(page: Browser, heading: str) -> list[str]:
    return page.run(
        f"(() => {{ const t = {TABLE}, at = Array.from(t.tHead.rows[0].cells)"
        f".findIndex((c) => c.textContent === {heading!r});"
        "return Array.from(t.tBodies[0].rows).map((r) => r.cells[at].dataset.v ?? r.cells[at].textContent); })()"
    )


def click(page: Browser, heading: str) -> str:
    return page.run(
        f"(() => {{ const th = Array.from({TABLE}.tHead.rows[0].cells).find((c) => c.textContent === {heading!r});"
        "th.querySelector('button').click(); return th.getAttribute('aria-sort'); })()"
    )


def test_the_page_loads_without_a_complaint_and_asks_for_nothing(page):
    assert page.complaints() == []
    asked = [e["params"]["request"]["url"] for e in page.events if e.get("method") == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert page.run("document.querySelectorAll('figure svg').length") >= 5
    assert page.run("document.querySelectorAll('b.evil, main b:not(.facts b)').length") == 0


def test_numbers_sort_as_numbers_in_both_directions_and_names_as_text(page):
    assert click(page, "median") == "ascending"
    medians = [float(v) for v in column(page, "median")]
    assert medians == sorted(medians)
    assert medians[-1] == float("inf")
    assert click(page, "median") == "descending"
    assert [float(v) for v in column(page, "median")] == sorted(medians, reverse=True)
    click(page, "evaluations")  # as text, 90 would come after 100000
    assert [int(v) for v in column(page, "evaluations")] == [90] + [b for b in BUDGETS for _ in range(6)]
    click(page, "method")
    assert column(page, "method") == sorted(column(page, "method"))


def test_a_click_on_the_legend_hides_a_method_in_all_figures_and_a_second_one_shows_it(page):
    button = "document.querySelectorAll('.legend .method')[1]"
    number = page.run(f"{button}.dataset.m")
    drawn = f"Array.from(document.querySelectorAll('figure [data-m=\"{number}\"].points'))"
    others = f"Array.from(document.querySelectorAll('figure .points:not([data-m=\"{number}\"])'))"
    shown = "every((e) => e.getClientRects().length > 0)"
    assert page.run(f"{drawn}.length") >= 5
    assert page.run(f"{drawn}.{shown}")
    page.run(f"{button}.click()")
    assert page.run(f"{button}.getAttribute('aria-pressed')") == "false"
    assert page.run(f"{drawn}.every((e) => e.getClientRects().length === 0)")
    assert page.run(f"{others}.{shown}")
    page.run(f"{button}.click()")
    assert page.run(f"{drawn}.{shown}")


def test_a_table_downloads_as_csv_with_all_digits(page, tmp_path):
    page.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.run("document.querySelector('button.csv[data-table=\"comparison-results\"]').click()")
    target, deadline = tmp_path / "comparison-results.csv", time.monotonic() + 15.0
    while not target.exists():
        assert time.monotonic() < deadline, "no download"
        time.sleep(0.05)
    time.sleep(0.1)
    with target.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == page.run(f"{TABLE}.tBodies[0].rows.length")
    assert {row["method"] for row in rows} == {*METHODS[:2], EVIL, "fails"}
    assert [row["median"] for row in rows] == column(page, "median")


def test_dark_colors_come_with_the_system_and_by_the_button(page):
    ground = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('figure svg text')).fill"
    light = page.run(ground), page.run(ink)
    page.media(scheme="dark")
    dark = page.run(ground), page.run(ink)
    assert light[0] == "rgb(255, 255, 255)"
    assert dark[0] != light[0]
    assert dark[1] != light[1]
    page.run("document.querySelector('.theme').click()")
    assert (page.run(ground), page.run(ink)) == light
    page.run("document.querySelector('.theme').click()")
    assert (page.run(ground), page.run(ink)) == dark


def test_pointing_at_a_point_shows_its_values_and_arrow_keys_go_on_to_the_next(page):
    place = page.run(
        "(() => { const p = document.querySelector('#comparison-convergence-median .points [data-tip]');"
        "p.scrollIntoView({ block: 'center', behavior: 'instant' });"
        "const b = p.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=place[0] + 2, y=place[1])
    tooltip = "document.querySelector('.tooltip')"
    page.wait(f"!{tooltip}.hidden")
    first = page.run(f"{tooltip}.textContent")
    assert "evaluations\nmedian " in first
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    page.wait(f"{tooltip}.hidden")
    page.run("document.querySelector('#comparison-convergence-median .canvas').focus()")
    seen = set()
    for _ in range(3):
        page.send("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
        seen.add(page.run(f"{tooltip}.textContent"))
    assert len(seen) == 3
    page.send("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    assert page.run(f"{tooltip}.hidden")


@pytest.mark.parametrize("width", [360, 1400])
def test_nothing_sticks_out_of_the_page_sideways(page, width):
    page.send("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
    assert page.run("document.documentElement.scrollWidth") <= width
    page.send("Emulation.clearDeviceMetricsOverride")


def test_without_scripts_the_page_is_whole_and_offers_no_dead_buttons(page, page_path):
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    page.open(page_path)
    assert page.run("document.querySelectorAll('figure svg').length") >= 5
    assert page.run("document.querySelectorAll('.points use title').length") > 20
    assert page.run("getComputedStyle(document.querySelector('button.csv')).display") == "none"
    page.send("Emulation.setScriptExecutionDisabled", value=False)
