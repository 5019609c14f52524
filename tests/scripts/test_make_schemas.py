"""The reference of the tournament file and the JSON Schemas agree with the code."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.make_schemas import main, page, schema_text, schemas
from tests.support.addons import ABSENT, assert_committed
from tests.support.command import ROOT

FOLDER = ROOT / "docs" / "reference"


def test_committed_page_is_current() -> None:
    """``make reference`` regenerates it."""
    assert_committed(page(), (FOLDER / "tournament-file.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "schema"), schemas().items(), ids=list(schemas()))
def test_committed_schema_is_current(name: str, schema: dict[str, Any]) -> None:
    assert_committed(schema_text(schema), (FOLDER / "schemas" / name).read_text(encoding="utf-8"))


def test_every_committed_schema_is_generated() -> None:
    committed = {path.name for path in (FOLDER / "schemas").iterdir()}
    assert committed == {*schemas(), *(["tune-toml.json"] if "lab" in ABSENT else [])}


def test_schemas_have_portable_patterns_and_no_null() -> None:
    text = json.dumps(schemas())
    assert "\\\\A" not in text
    assert "\\\\Z" not in text
    # The rounds of a plan, and the times of actions that no bot chose: chance, openings, substitutes.
    assert text.count('{"type": "null"}') == 2


def test_page_has_every_key() -> None:
    for key in ("clock-ms", "increment-ms", "opening-book", "third-place", "withdrawn", "args", "stones"):
        assert f"`{key}`" in page()


def test_missing_folder_argument_prints_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == "usage: python -m scripts.make_schemas DIR\n"
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / "schemas" / "record.json").exists()
