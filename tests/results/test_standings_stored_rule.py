"""Places of finished tournaments stay, whatever a later version does with new ones."""

import dataclasses
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support import genuine
from tests.support.command import invoke
from tourney.check.root import compute_root
from tourney.exchange.lines import export_lines
from tourney.exchange.merging import merge_databases
from tourney.interface.readers import open_database
from tourney.results.rounds import rankings
from tourney.results.standings import Ranking, compute_standings, load_history, load_setup
from tourney.schedule import knockout
from tourney.schedule.adaptive import Adaptive
from tourney.schedule.format import Format, find_format
from tourney.schedule.knockout import Knockout
from tourney.schedule.ranking_rule import BY_POINTS, older_rule
from tourney.schedule.round_robin import Gauntlet, RoundRobin
from tourney.schedule.swiss import Swiss
from tourney.store.database import Database
from tourney.store.values import Plan

CUPS: dict[str, dict[str, Any]] = {
    "swiss": {"format_": "swiss", "rounds": 3, "games": 2},
    "pods": {"format_": "swiss", "rounds": 2, "games": 6, "seats": 3},
    "round-robin": {"format_": "round-robin", "games": 2},
    "gauntlet": {"format_": "gauntlet", "games": 2},
    "knockout": {"format_": "knockout", "games": 2},
    "adaptive": {"format_": "adaptive", "games": 2, "extra": (("budget", 12), ("batch", 2))},
}
NAMES = tuple(f"drawn-{number}" for number in range(1, 8))


@cache
def _made(kind: str, *, older: bool) -> bytes:
    """A database with a finished tournament, which an older version began or this one."""
    given = CUPS[kind]
    rule = None if older else find_format(given["format_"]).new_rule(given.get("seats", 2))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.db"
        with Database.open(str(path), create=True) as database:
            # With shared dice each of two such bots wins one match of a pair, and all would be equal.
            names = NAMES if kind == "swiss" else NAMES[:5]
            tournament = genuine.begin(database, names, ranking=rule, seed=1, mirrored_dice=False, **given)
            genuine.play_out(database, tournament)
        return path.read_bytes()


def cup(path: Path, kind: str, *, older: bool) -> str:
    """Write such a database, which is played once."""
    path.write_bytes(_made(kind, older=older))
    return str(path)


def shown(path: str) -> dict[str, str]:
    """What commands print of the places of the only tournament of a database."""
    printed = {
        "json": ["standings", "--format", "json"],
        "csv": ["export", "--what", "standings"],
        "text": ["standings"],
    }
    found = {key: invoke(*words, "--db", path) for key, words in printed.items()}
    texts = {key: done.stdout + done.stderr for key, done in found.items()}
    with Database.open(path) as database:
        [stored] = database.tournaments.all()
        setup, history = load_setup(database, stored.id), load_history(database, stored.id)
        if (stored.plan.format, stored.seats) in {("swiss", 2), ("round-robin", 2)}:
            texts["trf"] = invoke("export", "--what", "trf", "--db", path).stdout
        format_ = Ranking.of(stored.plan).format
        texts["rounds"] = repr([*rankings(format_, setup, history.rows, history.results)])
        texts["root"] = compute_root(database, stored) or ""
        texts["stored root"] = stored.root or ""
    with open_database(path) as reader:
        texts["python"] = reader.tournament("cup").standings().to_csv()
    texts["verify"] = invoke("verify", "--all", "--db", path).stdout
    return texts


def other_rules(patch: pytest.MonkeyPatch) -> None:
    """Change whatever this version gives to new tournaments."""
    turned: Callable[..., tuple[str, ...]] = lambda self, seats: (  # noqa: E731 - a method for all
        "wins",
        "sonneborn-berger",
        "direct-encounter",
    )
    for format_ in (Format, Swiss):
        patch.setattr(format_, "tie_breaks", turned)
    patch.setattr(RoundRobin, "ranked_by", "points-per-match")
    patch.setattr(Gauntlet, "ranked_by", "points")
    for format_ in (Knockout, Adaptive):
        patch.setattr(format_, "ranked_by", "points")
        patch.setattr(format_, "tie_breaks", turned)
    patch.setattr(knockout, "EXTRA_GROUPS", 0)
    rule = Swiss.new_rule
    names = {2: ("half", "left-out"), 3: ("win", "fide-c07-2026")}
    patch.setattr(
        Swiss,
        "new_rule",
        lambda self, seats: replace(rule(self, seats), bye=names[seats][0], unplayed=names[seats][1]),
    )


@pytest.mark.parametrize("older", [False, True], ids=["stored", "older"])
@pytest.mark.parametrize("kind", CUPS)
def test_places_root_and_verify_stay_when_the_code_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, older: bool
) -> None:
    """Of a tournament that stores its rule, and of one that began before plans did."""
    path = cup(tmp_path / "t.db", kind, older=older)
    before = shown(path)
    assert "is whole" in before["verify"]
    assert before["root"] == before["stored root"] != ""
    other_rules(monkeypatch)
    assert shown(path) == before
    plan = plan_of(path)
    assert find_format(plan.format).new_rule(plan.seats) != Ranking.of(plan).rule


def test_reordered_tuple_of_a_swiss_moves_new_tournaments_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The places that the tuple in the code decides are those of tournaments which begin with it."""
    path = cup(tmp_path / "t.db", "swiss", older=False)
    names = Swiss().tie_breaks(2)
    orders = {}
    for key, order in (("first", names), ("turned", names[::-1])):
        monkeypatch.setattr(Swiss, "tie_breaks", lambda _, seats, order=order: order)
        with Database.open(path) as database:
            [stored] = database.tournaments.all()
            setup, history = load_setup(database, stored.id), load_history(database, stored.id)
            kept = [line.number for line in compute_standings(database, stored.id)]
            fresh = [line.number for line in Swiss().table(dataclasses.replace(setup, ranking=None), history)]
        orders[key] = (kept, fresh)
    assert orders["first"][0] == orders["first"][1] == orders["turned"][0] != orders["turned"][1]


@pytest.mark.parametrize("kind", CUPS)
def test_new_and_older_tournaments_rank_alike_but_have_other_roots(tmp_path: Path, kind: str) -> None:
    """The key in the plan is all that this version adds; the constant for older plans is today's rule."""
    given = CUPS[kind]
    seats = given.get("seats", 2)
    assert older_rule(given["format_"], seats) == find_format(given["format_"]).new_rule(seats)
    new, old = (shown(cup(tmp_path / f"{older}.db", kind, older=older)) for older in (False, True))
    differ = {key for key in new if new[key] != old[key]}
    assert differ == {"root", "stored root", "verify"}


def plan_of(path: str) -> Plan:
    with Database.open(path) as database:
        return database.tournaments.get("cup").plan


@pytest.mark.parametrize("older", [False, True], ids=["stored", "older"])
def test_export_import_and_merge_keep_the_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, older: bool
) -> None:
    path = cup(tmp_path / "t.db", "swiss", older=older)
    before, plan = shown(path), plan_of(path)
    with Database.open(path) as database:
        lines = b"".join(export_lines(database, database.tournaments.get("cup"), measured=False))
    assert (b'"ranking":' in lines) is not older
    file, imported, merged = tmp_path / "cup.jsonl", str(tmp_path / "i.db"), str(tmp_path / "m.db")
    file.write_bytes(lines)
    other_rules(monkeypatch)
    assert invoke("verify", str(file), "--root", before["root"]).exit_code == 0
    assert invoke("import", str(file), "--db", imported).exit_code == 0
    with Database.open(path) as there, Database.open(merged, create=True) as here:
        merge_databases(here, there, path, "today")
    for found in (imported, merged):
        assert plan_of(found) == plan
        assert shown(found) == before


@pytest.mark.slow
def test_report_ranks_by_the_stored_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cup(tmp_path / "t.db", "swiss", older=False)

    def pages(out: str) -> dict[str, bytes]:
        assert invoke("report", "--db", path, "--out", str(tmp_path / out), "-q").exit_code == 0
        files = (file for file in (tmp_path / out).rglob("*") if file.is_file())
        return {str(file.relative_to(tmp_path / out)): file.read_bytes() for file in files}

    before = pages("before")
    other_rules(monkeypatch)
    assert pages("after") == before
    assert any("Buchholz Cut-1" in page.decode(errors="replace") for page in before.values())


def rename(path: str, old: str, new: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE tournament SET plan = replace(plan, ?, ?)", (old, new))


NEWER = "cup: it was made by a newer Tourney, and this version does not know"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"buchholz-cut-1"', '"koya"', "the tie-break 'koya'"),
        ('"bye":"win"', '"bye":"third"', "bye = 'third'"),
        ('"unplayed":"fide-c07-2026"', '"unplayed":"fide-c07-2031"', "unplayed = 'fide-c07-2031'"),
        ('"by":"points"', '"by":"magic"', "the value 'magic'"),
        ('"bye":"win"', '"bye":"win","extra-groups":1', "extra-groups = 1"),
    ],
)
def test_unknown_names_are_refused_in_one_sentence(tmp_path: Path, old: str, new: str, what: str) -> None:
    """``verify`` of a database and of an export, ``db check``, ``import`` and whatever shows places."""
    path = cup(tmp_path / "t.db", "swiss", older=False)
    rename(path, old, new)
    sentence = f"{NEWER} {what} by which it ranks: install a newer version"
    done = invoke("verify", "--all", "--db", path)
    assert (done.exit_code, done.stdout.count("newer Tourney")) == (1, 1)
    assert f"cup: {sentence}" in done.stdout
    done = invoke("db", "check", "--db", path)
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"error: {sentence}\n")
    for words in (
        ("standings",),
        ("export", "--what", "standings"),
        ("report", "--out", str(tmp_path / "r")),
    ):
        done = invoke(*words, "--db", path)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.endswith(f"error: {sentence}\n")
    file = tmp_path / "cup.jsonl"
    exported = invoke("export", "--what", "tournament", "--out", str(file), "--db", path)
    assert exported.exit_code == 0
    done = invoke("verify", str(file))
    assert (done.exit_code, done.stderr) == (1, f"error: {file} line 1: {sentence}\n")
    target = tmp_path / "elsewhere.db"
    done = invoke("import", str(file), "--db", str(target))
    assert (done.exit_code, done.stderr) == (2, f"error: {file} line 1: {sentence}\n")
    assert not target.exists()


def test_unknown_key_of_the_rule_names_a_newer_version(tmp_path: Path) -> None:
    path = cup(tmp_path / "t.db", "swiss", older=False)
    rename(path, '"bye":"win"', '"bye":"win","forfeits":"lost"')
    done = invoke("verify", "--all", "--db", path)
    assert done.exit_code == 3
    assert 'ranking has "forfeits": it was made by a newer Tourney' in done.stderr


def test_default_of_points_is_the_rule_of_most_formats() -> None:
    for name in ("round-robin", "import", "results"):
        assert find_format(name).new_rule(2).tie_breaks == BY_POINTS
