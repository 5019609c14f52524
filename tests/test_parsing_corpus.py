"""Every parser of what strangers send copes with the kept corpus, and with pieces of it."""

from pathlib import Path

import pytest

from tests.support import addons
from tests.support.parsers import all_targets, attempt, corpora

EXTRAS = {
    name: package for part in addons.parts("parsers") for name, package in getattr(part, "EXTRAS", {}).items()
}
INPUTS = sorted(path for corpus in corpora() for path in corpus.rglob("*") if path.is_file())


def test_every_target_has_a_corpus() -> None:
    assert {path.parent.name for path in INPUTS} == {*all_targets()}


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_parser_raises_only_errors_of_tourney(path: Path) -> None:
    name, data = path.parent.name, path.read_bytes()
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name])
    attempt(name, data)
    for at in {0, 1, len(data) // 3, len(data) - 1} - {len(data), -1}:
        attempt(name, data[:at])
        attempt(name, data[at:])
        attempt(name, data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :])
