"""What a notebook shows of a run; the kernel that executes it talks by files, not by ports."""

import json
import os
import subprocess
import sys
from base64 import b64decode

import pytest

nbclient = pytest.importorskip("nbclient", reason="needs nbclient, which runs notebooks: pip install nbclient")
pytest.importorskip("ipykernel", reason="needs ipykernel, the kernel of notebooks: pip install ipykernel")

CELLS = [
    "import reckless\n"
    "def f(x, y):\n"
    "    return (x[0] - y[0]) ** 2 + x[0]\n"
    "result = reckless.minimax(f, [(1, 4)], {'load': (2, 9)}, maxfev=300, rng=1, verify=True, progress=True)",
    "result",
    "result.plot()",
    "result.verification",
]

EXECUTE = """
import json, sys
import nbclient, nbformat
from jupyter_client import AsyncKernelManager

cells = [nbformat.v4.new_code_cell(cell) for cell in json.load(sys.stdin)]
book = nbformat.v4.new_notebook(cells=cells)
manager = AsyncKernelManager(kernel_name="python3", transport="ipc", connection_file="kernel.json")
nbclient.NotebookClient(book, km=manager, timeout=200).execute()
json.dump([cell.outputs for cell in book.cells], sys.stdout)
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each of the cells shows, as lists of outputs."""
    home = tmp_path_factory.mktemp("notebook")
    places = "HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"
    settings = {**os.environ, **dict.fromkeys(places, str(home)), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = [sys.executable, "-c", EXECUTE]
    cells = json.dumps(CELLS)
    done = subprocess.run(run, input=cells, capture_output=True, text=True, env=settings, cwd=home, timeout=250)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_run_shows_its_progress_on_one_line(outputs):
    (shown,) = outputs[0]
    assert shown["output_type"] == "display_data"
    assert " of 600 evaluations, estimate " in shown["data"]["text/plain"]


def test_a_result_shows_tables_and_its_picture(outputs):
    (shown,) = outputs[1]
    html = shown["data"]["text/html"]
    assert "<th" in html
    assert "worst cases" in html
    assert "independent searches" in html
    png = b64decode(html.partition("data:image/png;base64,")[2].partition('"')[0])
    assert png.startswith(b"\x89PNG")


def test_a_figure_shows_itself(outputs):
    (shown,) = outputs[2]
    assert b64decode(shown["data"]["image/png"]).startswith(b"\x89PNG")


def test_a_verification_shows_a_table(outputs):
    (shown,) = outputs[3]
    assert "worst case found" in shown["data"]["text/html"]
