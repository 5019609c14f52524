"""Cycles in ``tourney ratings``, ``rate`` and the report: only where the test of fit asks for them."""

import json
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from jsonschema import Draft202012Validator

from tests.support.command import ROOT, invoke
from tourney.cli.rating_tables import lines_of
from tourney.ratings.batch import SeatEffect

BEATS = {("rock", "scissors"): 8, ("scissors", "paper"): 8, ("paper", "rock"): 8}
"""Games of ten that the first wins; the other pairs win five each."""


def games(path: Path, beats: dict[tuple[str, str], int]) -> Path:
    lines = []
    for a, b in combinations(("rock", "paper", "scissors", "dull"), 2):
        won = beats.get((a, b), 10 - beats.get((b, a), 5))
        for game in range(60):
            white, black = (a, b) if game % 2 else (b, a)
            result = "1-0" if (game * 7 % 10 < won) == (white == a) else "0-1"
            lines.append(json.dumps({"white": white, "black": black, "result": result}))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("command", ["rate", "ratings"])
def test_ratings_name_the_circle(command: str, tmp_path: Path) -> None:
    file = str(games(tmp_path / "circle.jsonl", BEATS))
    words: tuple[str, ...] = ("rate", file)
    if command == "ratings":
        db = ("--db", str(tmp_path / "t.db"))
        assert invoke("import", file, *db).exit_code == 0
        words = ("ratings", *db)
    done = invoke(*words)
    assert "Strength is not one number here (p < 0.001): " in done.stderr
    assert done.stderr.count(" beats ") == 3
    assert "rock > scissors > paper > rock" in circles(done.stdout)
    document = json.loads(invoke(*words, "--format", "json").stdout)
    schema = json.loads((ROOT / "docs" / "reference" / "json" / "ratings.json").read_text("utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(document)) == []
    assert document["cycles"]["cycles"][0]["probability"] > 0.9
    csv = invoke(*words, "--format", "csv").stdout
    assert len(csv.splitlines()) == 5, "one table alone"
    assert invoke(*words).stdout == done.stdout


def test_lines_of_a_document_fit_its_schema() -> None:
    """A whole number becomes the float that the schema states; a value that it forbids is an error."""
    row = {"seat": 1, "elo": 3, "low": 2.5, "high": 4, "other": "dropped"}
    (line,) = lines_of(SeatEffect, [row])
    assert (line.elo, type(line.elo)) == (3, float)
    for wrong in ({"seat": "1"}, {"elo": None}):
        with pytest.raises(msgspec.ValidationError):
            lines_of(SeatEffect, [row | wrong])


def circles(text: str) -> list[str]:
    """Return the cycles in a text, each turned so that rock comes first."""
    found = []
    for line in text.splitlines():
        if " > " in line:
            bots = [word for word in line.split() if word.isalpha()][:3]
            start = bots.index("rock")
            found.append(" > ".join(bots[start:] + bots[:start] + ["rock"]))
    return found


def test_report_has_a_section_of_cycles(tmp_path: Path) -> None:
    db = ("--db", str(tmp_path / "t.db"))
    for name, beats in (("circle", BEATS), ("line", {})):
        assert invoke("import", str(games(tmp_path / f"{name}.jsonl", beats)), *db).exit_code == 0
        out = tmp_path / name
        assert invoke("report", name, "--out", str(out), *db).exit_code == 0
        page = (out / "statistics.html").read_text("utf-8")
        assert ('id="cycles"' in page) == (name == "circle")
        assert ("Strength is not one number here" in page) == (name == "circle")
        assert (out / "data" / "cycles.csv").exists() == (name == "circle")
    quiet = invoke("ratings", "line", *db)
    assert " > " not in quiet.stdout
    assert json.loads(invoke("ratings", "line", "--format", "json", *db).stdout)["cycles"] is None
