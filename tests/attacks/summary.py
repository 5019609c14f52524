"""The summary after a test run: the attacks that work at each level."""

from typing import Final

import pytest

LEVELS: Final = {
    "auto": "sandbox = auto does not contain here",
    "limits": "sandbox = auto does not contain here without bubblewrap",
    "off": "sandbox = off does not contain here",
}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the attacks that were not contained, by level, with the parts that worked."""
    found: dict[str, dict[str, list[str]]] = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "not contained":
                level, attack, worked = value
                found.setdefault(level, {})[attack] = worked
    for level, attacks in sorted(found.items()):
        terminalreporter.section(f"attacks that {LEVELS[level]}", sep="-")
        for attack, worked in sorted(attacks.items()):
            terminalreporter.line(f"{attack}: {' '.join(worked)}")
