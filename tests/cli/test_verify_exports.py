"""``tourney verify FILE`` on every kind of alteration of an exported tournament."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import genuine
from tests.support.command import invoke
from tests.support.records import digest_of
from tourney.check.root import compute_root
from tourney.exchange.lines import export_lines
from tourney.store.database import Database
from tourney.store.values import Origin

pytestmark = pytest.mark.slow

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lines, str]:
    """The lines of a finished cup of six matches, the fourth of them void, and its root."""
    with Database.open(str(tmp_path_factory.mktemp("cup") / "t.db"), create=True) as database:
        tournament = genuine.begin(database, origin=Origin(chosen=False, salt="ab" * 16))
        genuine.play_all(database, tournament, void=(4,))
        lines = [json.loads(line) for line in export_lines(database, tournament, measured=False)]
        return lines, compute_root(database, tournament) or ""


def forge(lines: Lines) -> None:
    """Cut a match short by a resignation, with a new digest."""
    record = lines[1]["record"]
    place = next(k for k, (actor, _) in enumerate(record["actions"][10:], 10) if actor)
    seat = record["actions"][place][0]
    del record["actions"][place:]
    ranks = [2, 1] if seat == 1 else [1, 2]
    record["outcome"] = {"ranks": ranks, "reason": "resign", "faults": [], "resigned": [[seat, place]]}
    record["digest"] = digest_of(record)


def swap(lines: Lines) -> None:
    lines[1]["record"], lines[2]["record"] = lines[2]["record"], lines[1]["record"]


ALONE: dict[str, Callable[[Lines], Any]] = {
    "two records exchanged": swap,
    "two lines exchanged": lambda lines: lines.insert(1, lines.pop(2)),
    "a match twice": lambda lines: lines.append(lines[-1]),
    "a match deleted": lambda lines: lines.pop(),
    "a match deleted, and counted so": lambda lines: (lines.pop(), lines[0].update(matches=5)),
    "a group deleted, and counted so, without the root": lambda lines: (
        lines.pop(),
        lines.pop(),
        lines[0].update(matches=4),
        lines[0].pop("root"),
    ),
    "another tournament seed": lambda lines: lines[0]["tournament"].update(seed="8"),
    "another name": lambda lines: lines[0]["tournament"]["plan"].update(name="cap"),
    "a garbage root": lambda lines: lines[0].update(root="x"),
    "another root": lambda lines: lines[0].update(root="0" * 64),
    "another commitment": lambda lines: lines[0].update(commitment="0" * 64),
    "another salt": lambda lines: lines[0].update(salt="cd" * 16),
    "no salt": lambda lines: lines[0].pop("salt"),
    "seats of a void match": lambda lines: lines[4]["seats"].reverse(),
    "the reason of a void match": lambda lines: lines[4]["void"].update(reason="overload"),
    "a record of a void match": lambda lines: lines[4].update(record=lines[3]["record"]),
    "a played match made void": lambda lines: (
        lines[1].pop("record"),
        lines[1].update(void={"reason": "machine-failure"}),
    ),
    "the result of a match removed": lambda lines: lines[1].pop("record"),
    "an action, with a new digest": forge,
    "an entrant's bot": lambda lines: lines[0]["tournament"]["entrants"][0].update(digest="0" * 64),
    "an entrant's line of the file": lambda lines: lines[0]["shown"][0].update(line='[["bot","drawn"]]'),
    "the draw probability": lambda lines: lines[0].update(
        {"draw-probability": {"probability": 0.9, "tournament": "cup", "matches": 6}}
    ),
    "withdrawn": lambda lines: lines[0]["run"].update(withdrawn=["drawn-1"]),
    "a replaced result": lambda lines: lines[0].update(
        replaced=[{"match": 1, "rounds": 1, "ranks": [1, 2], "faults": ["", ""], "void": False}]
    ),
}
"""Found without the root."""
OUTSIDE: dict[str, Callable[[Lines], Any]] = {
    "a title": lambda lines: lines[0]["shown"][0].update(title="Champion"),
    "why a bot is broken": lambda lines: lines[0]["shown"][0].update(broken="rain"),
    "an author": lambda lines: lines[0]["shown"][0].update(author="Me"),
    "reuse": lambda lines: lines[0]["run"].update(reuse=True),
    "a presentation": lambda lines: lines[0].update(presentation={"title": "Final"}),
    "a note": lambda lines: lines[4].update(note="rain"),
    "the root left out": lambda lines: lines[0].pop("root"),
}
"""Not found, as docs/reference/verification.md says; the command names these parts."""


def altered(exported: tuple[Lines, str], path: Path, change: Callable[[Lines], Any]) -> Path:
    lines = json.loads(json.dumps(exported[0]))
    change(lines)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="ascii")
    return path


def test_whole_export_holds(exported: tuple[Lines, str], tmp_path: Path) -> None:
    file = altered(exported, tmp_path / "cup.jsonl", lambda _: None)
    done = invoke("verify", str(file), "--root", exported[1])
    assert (done.exit_code, f"cup: root {exported[1]}" in done.stdout) == (0, True)


@pytest.mark.parametrize("name", ALONE)
def test_alteration_of_an_export_is_found(exported: tuple[Lines, str], tmp_path: Path, name: str) -> None:
    file = altered(exported, tmp_path / "cup.jsonl", ALONE[name])
    assert invoke("verify", str(file)).exit_code == 1


@pytest.mark.parametrize("name", OUTSIDE)
def test_parts_outside_the_root_are_named(exported: tuple[Lines, str], tmp_path: Path, name: str) -> None:
    file = altered(exported, tmp_path / "cup.jsonl", OUTSIDE[name])
    done = invoke("verify", str(file))
    assert (done.exit_code, "not under a root" in done.stderr) == (0, True), done.stderr
    assert exported[1] in done.stdout
