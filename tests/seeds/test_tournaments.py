"""The checkers hold exported tournaments to their seed, plan and root, and refuse damaged ones."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.seeds.checkers import NODE, PYTHON, check, needs_node
from tests.support.command import invoke
from tests.support.records import digest_of

pytestmark = pytest.mark.slow

BOTH = [PYTHON, pytest.param(NODE, marks=needs_node)]
Lines = list[dict[str, Any]]


@pytest.fixture(scope="session")
def tournaments(database: Path, names: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the exports of all tournaments of the pool."""
    folder = tmp_path_factory.mktemp("tournaments")
    for name in names:
        done = invoke("export", name, "--what", "tournament", "--db", str(database))
        assert done.exit_code == 0, done.stderr
        (folder / f"{name}.jsonl").write_text(done.stdout, encoding="ascii")
    return [folder / f"{name}.jsonl" for name in names]


def lines_of(path: Path) -> Lines:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def written(path: Path, lines: Lines) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="ascii")
    return path


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_checker_accepts_every_tournament_and_prints_its_root(program: Path, tournaments: list[Path]) -> None:
    done = check(program, *map(str, tournaments))
    said = []
    for path in tournaments:
        head = lines_of(path)[0]
        said.append(f"{path}: the root is {head['root']}")
        format_ = head["tournament"]["plan"]["format"]
        if format_ in {"compare", "gate", "ladder", "tune"}:
            said.append(f"{path}: rounds of {format_} with these settings are not drawn again")
    count = sum(len(lines_of(path)) - 1 for path in tournaments)
    assert done.stdout.decode().splitlines() == [
        *said,
        f"{count} records, 0 problems; dice of 0 not checked",
    ]
    assert done.returncode == 0


def forged(line: dict[str, Any], key: str, value: Any) -> None:
    """Change a key of a record and make its digest again."""
    line["record"][key] = value
    line["record"]["digest"] = digest_of(line["record"])


def reseeded(lines: Lines) -> None:
    """Give two matches of different groups each other's place."""
    lines[1]["place"], lines[-1]["place"] = lines[-1]["place"], lines[1]["place"]


DAMAGE: dict[str, Callable[[Lines], Any]] = {
    "another tournament seed": lambda lines: lines[0]["tournament"].update(seed="12"),
    "the seed drawn, not chosen": lambda lines: lines[0]["tournament"].update({"seed-chosen": False}),
    "another name of the tournament": lambda lines: lines[0]["tournament"]["plan"].update(name="cup"),
    "an entrant more": lambda lines: lines[0]["tournament"]["entrants"].append(
        lines[0]["tournament"]["entrants"][0] | {"name": "zoe"}
    ),
    "another bot of an entrant": lambda lines: lines[0]["tournament"]["entrants"][0].update(digest="0" * 64),
    "another limit in the plan": lambda lines: lines[0]["tournament"]["plan"]["limits"].update(nodes=1),
    "other opening plies": lambda lines: lines[0]["tournament"]["plan"].update({"opening-plies": 7}),
    "another root": lambda lines: lines[0].update(root="0" * 64),
    "a number of matches too high": lambda lines: lines[0].update(matches=lines[0]["matches"] + 1),
    "the last match left out": lambda lines: lines.pop(),
    "the last match left out, and counted so": lambda lines: (lines.pop(), lines[0].update(matches=11)),
    "a match twice": lambda lines: lines.append(lines[-1]),
    "two matches exchanged": lambda lines: lines.insert(1, lines.pop(2)),
    "two places exchanged": reseeded,
    "the seats of a match turned": lambda lines: lines[1]["seats"].reverse(),
    "a seat without entrant": lambda lines: lines[1]["seats"].__setitem__(0, 99),
    "a match without its record": lambda lines: lines[1].pop("record"),
    "a place of three numbers": lambda lines: lines[1]["place"].pop(),
    "a place of round 0": lambda lines: lines[1]["place"].__setitem__(0, 0),
    "another limit in a record": lambda lines: forged(
        lines[1], "limits", lines[1]["record"]["limits"] | {"nodes": 3}
    ),
    "another entrant in a record": lambda lines: forged(
        lines[1], "seats", [{**seat, "entrant": "zoe"} for seat in lines[1]["record"]["seats"]]
    ),
    "a match before its tournament": lambda lines: lines.insert(0, lines.pop(1)),
}
"""Changes of a round-robin of twelve matches; records that are changed have a right digest."""


@pytest.mark.parametrize("name", [*DAMAGE])
def test_checkers_refuse_a_damaged_tournament(tournaments: list[Path], tmp_path: Path, name: str) -> None:
    whole = next(path for path in tournaments if path.name == "sage-stones-round-robin-2.jsonl")
    lines = lines_of(whole)
    assert len(lines) == 13
    DAMAGE[name](lines)
    damaged = written(tmp_path / "damaged.jsonl", lines)
    done = check(PYTHON, str(damaged))
    assert done.returncode == 1
    if not needs_node.args[0]:
        node = check(NODE, str(damaged))
        assert (node.stdout, node.returncode) == (done.stdout, 1)


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_opening_of_a_book_follows_from_the_seed(
    program: Path, tournaments: list[Path], tmp_path: Path
) -> None:
    whole = next(path for path in tournaments if path.name == "sages-tafl-knockout-2.jsonl")
    lines = lines_of(whole)
    book = lines[0]["tournament"]["plan"]["book"]
    assert {tuple(line["record"]["opening"]["actions"]) for line in lines[1:]} <= set(map(tuple, book))
    book.reverse()
    done = check(program, str(written(tmp_path / "turned.jsonl", lines)))
    assert b"the opening is not that of the plan" in done.stdout


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_dice_of_its_own_follow_from_the_order(
    program: Path, tournaments: list[Path], tmp_path: Path
) -> None:
    whole = next(path for path in tournaments if path.name == "sage-stones-gauntlet-2.jsonl")
    lines = lines_of(whole)
    assert lines[0]["tournament"]["plan"].pop("mirrored-dice") is False
    done = check(program, str(written(tmp_path / "shared.jsonl", lines)))
    assert b"the seed of this place is" in done.stdout


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_unfinished_tournament_has_no_root(program: Path, tournaments: list[Path], tmp_path: Path) -> None:
    lines = lines_of(tournaments[0])
    del lines[0]["root"], lines[-1]["record"]
    done = check(program, str(written(tmp_path / "unfinished.jsonl", lines)))
    assert done.stdout.decode() == f"{len(lines) - 2} records, 0 problems; dice of 0 not checked\n"


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_export_with_measurements_is_read(program: Path, database: Path, names: list[str]) -> None:
    done = invoke("export", names[0], "--what", "tournament", "--measured", "--db", str(database))
    found = check(program, "-", given=done.stdout.encode("ascii"))
    assert (found.returncode, found.stdout.count(b"the root is")) == (0, 1)
