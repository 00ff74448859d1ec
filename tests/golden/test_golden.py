"""Compare runs bit for bit with those recorded in traces.json. `make golden` does, `make test` does not."""

import pytest

from golden.cases import CASES
from golden.environment import environment, reason_to_skip
from golden.traces import complaint, read, trace

_ENVIRONMENT, _TRACES = read()
_REASON = reason_to_skip(_ENVIRONMENT, environment())
pytestmark = [pytest.mark.golden, pytest.mark.skipif(_REASON is not None, reason=str(_REASON))]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_run_repeats_its_recorded_trace(case):
    if found := complaint(case, _TRACES.get(str(case)), trace(case)):
        pytest.fail(found, pytrace=False)


def test_every_recorded_trace_has_a_case():
    assert set(_TRACES) <= set(map(str, CASES)), "`make golden-record` drops the traces of former cases"
