"""Commands of which a system call fails, kills the process, or is the last before the power goes out.

A sample: ``python -m scripts.nightly faults`` tries all of them.
"""

from pathlib import Path

import pytest

from tests.support.fault_scenarios import all_scenarios
from tests.support.faults import KINDS, compile_shim, run_scenarios
from tests.support.programs import needs_compiler

pytestmark = pytest.mark.kill


@needs_compiler
def test_fault_at_any_call_loses_nothing(tmp_path: Path) -> None:
    """After a further start all is as after a straight run, with no file left behind and no traceback."""
    reports = list(run_scenarios(compile_shim(tmp_path), list(all_scenarios()), sample=1))
    assert [why for report in reports for why in report.failures] == []
    assert [(report.scenario, report.kind) for report in reports] == [
        (scenario, kind) for scenario in all_scenarios() for kind in KINDS
    ]
    assert all(report.tried for report in reports)
