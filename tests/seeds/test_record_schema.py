"""The published JSON Schema of the record accepts all records that are written and refuses damaged ones."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.seeds.mutations import SEEN, Change
from tests.seeds.test_checkers import of_stones
from tests.support.command import ROOT
from tests.support.records import as_json
from tourney.check.named_seeds import play_named, read_manifest

SCHEMA = json.loads((ROOT / "docs" / "reference" / "schemas" / "record.json").read_text(encoding="utf-8"))
BEYOND = {
    *("another die", "two dice exchanged", "a die left out", "a die twice", "another seed"),
    *("a seat's action given to chance", "dice in a game without chance", "a seed beyond 64 bits"),
    *("an increment without a clock", "more plies than actions", "an opening of a book that was not played"),
    *("a rank too high", "a rank without a first", "a rank more", "an actor beyond the seats"),
    *("a fault beyond the actions", "a fault of a seat beyond the table"),
    *("a fault that its rank does not show", "a fault before the last action"),
    *("a fault while the reason is the game's", "a seat withdrawn twice", "a name of a lone surrogate"),
    *("a withdrawal as the reason, though all stay", "an integral fraction"),
}
"""Changes that no schema can show: they concern several values, or JSON Schema has no word for them."""


@pytest.fixture(scope="module")
def validator() -> Any:
    """Return a validator that was made by others."""
    kind = jsonschema.Draft202012Validator
    kind.check_schema(SCHEMA)
    return kind(SCHEMA)


@pytest.mark.slow
def test_schema_accepts_every_record_of_the_pool(validator: Any, records: Path) -> None:
    for line in records.read_bytes().splitlines():
        validator.validate(json.loads(line))


def test_schema_accepts_golden_records_and_named_seeds(validator: Any) -> None:
    for path in (ROOT / "seeds" / "golden").iterdir():
        validator.validate(json.loads(path.read_text(encoding="utf-8")))
    for named in read_manifest(ROOT / "seeds" / "named-seeds.jsonl"):
        validator.validate(as_json(play_named(named).record))


@pytest.mark.parametrize("name", [name for name in SEEN if name not in BEYOND])
def test_schema_refuses_changes_of_form(validator: Any, records: Path, name: str) -> None:
    change: Change = SEEN[name]
    record = of_stones(records)
    assert validator.is_valid(record)
    change(record)
    assert not validator.is_valid(record)


def test_schema_cannot_show_what_concerns_several_values(validator: Any, records: Path) -> None:
    for name in BEYOND & SEEN.keys():
        record = of_stones(records)
        SEEN[name](record)
        assert validator.is_valid(record), name
