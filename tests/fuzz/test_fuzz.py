"""A short run of `make fuzz`: the same cases each time, without a limit in seconds."""

import tempfile

import pytest

from fuzz.attack import KINDS, attack

N_CASES = 20


@pytest.mark.parametrize("kind", KINDS)
def test_odd_input_gives_an_answer_or_a_short_refusal_and_leaves_nothing(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    found = {seed: attack(kind, seed, tmp_path) for seed in range(N_CASES)}
    assert {seed: wrong for seed, wrong in found.items() if wrong} == {}
