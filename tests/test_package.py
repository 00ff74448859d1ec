"""The package as a whole: what an import costs, what is public, and that the examples in docstrings are true."""

import doctest
import subprocess
import sys

import pytest

import reckless
import reckless.cli.versions
import reckless.domains.box
import reckless.domains.perturbation
import reckless.domains.sets
import reckless.run.minimax
import reckless.run.solver
import reckless.run.verification
import reckless.testing


def run(code, **environment):
    import os

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "numba", "matplotlib", "rich", "click"}
    assert run(f"import sys, reckless; print({heavy!r} & set(sys.modules))").strip() == "set()"


def test_solving_needs_no_plotting_and_no_command_line():
    code = "import sys, reckless; reckless.minimax; print({'matplotlib', 'rich', 'click'} & set(sys.modules))"
    assert run(code).strip() == "set()"


def test_importing_the_kernels_compiles_nothing():
    code = (
        "from reckless.strategies import kernels\n"
        "print([len(f.signatures) for f in vars(kernels).values() if hasattr(f, 'signatures')])"
    )
    counts = run(code).strip()
    assert set(counts.strip("[]").split(", ")) == {"0"}


def test_help_is_available_without_numba():
    code = (
        "import sys\nfrom reckless.cli import cli\ncli.main(['--help'], standalone_mode=False)\n"
        "print({'numba', 'scipy', 'matplotlib'} & set(sys.modules))"
    )
    assert run(code).strip().endswith("set()")


@pytest.mark.parametrize("name", reckless.__all__)
def test_every_public_name_exists(name):
    assert getattr(reckless, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="reckless.* attribute .*minmax"):
        reckless.minmax  # noqa: B018


@pytest.mark.parametrize(
    "module",
    [
        reckless,
        reckless.cli.versions,
        reckless.run.minimax,
        reckless.run.solver,
        reckless.run.verification,
        reckless.domains.box,
        reckless.domains.sets,
        reckless.domains.perturbation,
        reckless.testing,
    ],
    ids=lambda m: m.__name__,
)
def test_the_examples_in_the_docstrings_are_true(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_the_kernels_do_the_same_without_compilation(request):
    """A part of the suite runs once more with NUMBA_DISABLE_JIT=1."""
    code = (
        "import pytest, sys\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '-p', 'no:xdist', "
        f"{str(request.config.rootpath / 'tests/strategies/test_kernels.py')!r}]))"
    )
    assert "passed" in run(code, NUMBA_DISABLE_JIT="1")
