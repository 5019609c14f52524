"""A machine of another size, so that no test depends on the memory of the machine that runs it."""

import pytest

from tourney.bots.sandbox.machine_memory import MachineMemory
from tourney.match import match_memory

MIB = 1 << 20


def set_memory(monkeypatch: pytest.MonkeyPatch, total_mb: int, available_mb: int | None = None) -> None:
    """Let this process find a machine with this memory."""
    available = total_mb if available_mb is None else available_mb
    memory = MachineMemory(total_mb * MIB, available * MIB, "this machine")
    monkeypatch.setattr(match_memory, "machine_memory", lambda: memory)
    monkeypatch.setattr(match_memory, "free_processes", lambda: None)
