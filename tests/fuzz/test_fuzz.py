"""A short run of `make fuzz`: the same cases each time, without a limit in seconds."""

import tempfile

import pytest

from fuzz.attack import KINDS, attack

N_CASES = 20
OPEN = {
    "api": "a few arguments are still repeated in full",
    "cli": "words of the command line are still repeated in full",
    "toml": "enormous TOML is not refused yet",
    "study": "enormous TOML is not refused yet",
    "store": "damaged stores are not refused yet",
}


def every_kind():
    """List the kinds; those with known violations are expected to fail."""
    return [pytest.param(kind, marks=pytest.mark.xfail(reason=OPEN[kind]) if kind in OPEN else ()) for kind in KINDS]


@pytest.mark.parametrize("kind", every_kind())
def test_odd_input_gives_an_answer_or_a_short_refusal_and_leaves_nothing(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    found = {seed: attack(kind, seed, tmp_path) for seed in range(N_CASES)}
    assert {seed: wrong for seed, wrong in found.items() if wrong} == {}
