"""The lines between us and a program, by themselves."""

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from garbage import LINES
from reckless.evaluation.protocol import MOST_QUOTED, decode, encode

ANY_LINE = LINES | st.binary(max_size=50) | st.floats().map(lambda value: b'{"id":7,"value":%a}' % value)


@settings(max_examples=500)
@given(lines=st.lists(ANY_LINE, min_size=20, max_size=20))
def test_whatever_a_program_prints_is_a_finite_value_or_a_complaint(lines):
    """10,000 lines in all."""
    for line in lines:
        value, complaint, _, is_retired = decode(line, 7)
        assert np.isfinite(value) != bool(complaint)
        assert len(complaint) < 4 * MOST_QUOTED + 300
        assert not is_retired


@given(value=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53))
def test_a_finite_number_is_read_exactly(value):
    assert decode(json.dumps({"id": 7, "value": value, "seconds": 3}).encode(), 7) == (value, "", False, False)


@given(x=st.lists(st.floats(-1e300, 1e300), min_size=1), y=st.lists(st.floats(-1e300, 1e300), min_size=1))
def test_a_request_is_one_line_and_gives_back_the_same_doubles(x, y):
    line = encode(12, np.array(x), np.array(y))
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"id": 12, "x": x, "y": y}
