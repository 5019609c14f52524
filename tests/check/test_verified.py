"""A check of all matches that is done in parts goes on where it stopped, and knows what changed."""

import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import invoke
from tourney.check.record import Finding
from tourney.check.tournament import CheckedMatch, TournamentVerifier, VerifyReply
from tourney.check.verified import PartialCheck
from tourney.spawning import Pool
from tourney.store.database import Database
from tourney.store.records import StoredMatch

NAMES = ("one", "two", "three")
WEEK = timedelta(days=7)


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Three finished tournaments of six matches, each of which is one chunk."""
    path = str(tmp_path / "tourney.db")
    with Database.open(path, create=True) as opened:
        for name in NAMES:
            genuine.play_all(opened, genuine.begin(opened, name=name))
    return path


def check(
    database: str, seconds: float | None = None, age: timedelta | None = WEEK
) -> tuple[PartialCheck, list[str], list[Finding]]:
    """Check a database; return also the tournaments that matches were verified of, and what was found."""
    place = Path(database)
    partial = PartialCheck(place.with_name(f"{place.name}-verified.json"), seconds, age)
    with Database.open(database) as opened, Pool(1, "verifies", 1) as pool:
        verifiers = {TournamentVerifier(opened, one): one.name for one in opened.tournaments.all()}
        found = [(verifiers[one], *match) for one, match in partial.matches([*verifiers], pool)]
    flaws = [flaw for _, _, findings in found for flaw in findings or ()]
    return partial, list(dict.fromkeys(name for name, *_ in found)), flaws


def test_second_check_within_the_age_verifies_nothing(database: str) -> None:
    first, names, flaws = check(database)
    assert (names, flaws, first.checked, first.recent, first.left) == ([*NAMES], [], 18, 0, 0)
    second, names, _ = check(database)
    assert (names, second.checked, second.recent, second.left) == ([], 0, 18, 0)
    assert re.fullmatch(
        r"0 matches verified now, 18 before, the oldest on \d{4}-\d\d-\d\d \d\d:\d\d UTC; none left",
        next(second.sentences()),
    )
    assert check(database, age=timedelta(0))[1] == [*NAMES]


def test_check_goes_on_with_what_was_verified_the_longest_ago(database: str) -> None:
    for expected in (["one"], ["two"], ["three"], ["one"]):
        partial, names, _ = check(database, 0, None)
        assert names == expected
        assert (partial.checked, partial.left) == (6, 12)
        assert [*partial.sentences()] == ["6 matches verified now; 12 left, with which the next call begins"]


def test_time_counts_from_the_first_match(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("tourney.check.verified.time.monotonic", lambda: clock[0])
    starts = TournamentVerifier.chunk_starts
    checked = TournamentVerifier.taken

    def list_slowly(verifier: TournamentVerifier) -> Iterator[tuple[int, int]]:
        clock[0] += 100
        return starts(verifier)

    def check_in_a_second(verifier: TournamentVerifier, reply: VerifyReply) -> Iterator[CheckedMatch]:
        clock[0] += 1
        return checked(verifier, reply)

    monkeypatch.setattr(TournamentVerifier, "chunk_starts", list_slowly)
    monkeypatch.setattr(TournamentVerifier, "taken", check_in_a_second)
    assert check(database, 2, None)[0].checked == 12


def test_only_chunks_whose_turn_comes_are_read(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    chunks = TournamentVerifier.chunks

    def note(verifier: TournamentVerifier, first: int = 1) -> Iterator[list[StoredMatch]]:
        read.append(verifier.tournament.name)
        return chunks(verifier, first)

    monkeypatch.setattr(TournamentVerifier, "chunks", note)
    for expected in ("one", "two", "three"):
        check(database, 0, WEEK)
        assert read == [expected]
        read.clear()


def test_recent_matches_are_compared_in_turn(database: str) -> None:
    check(database)
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE \"match\" SET reason = 'resign' WHERE id = 14")
    first, *rest = (check(database, 0) for _ in range(3))
    assert (first[0].recent, first[0].left) == (6, 12)
    assert [names for _, names, _ in rest] == [[], ["three"]]
    assert len(rest[1][2]) == 1


def test_changed_matches_are_verified_again_until_they_hold(database: str) -> None:
    check(database)
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE \"match\" SET reason = 'resign' WHERE id = 8")
    for _ in range(2):
        _, names, flaws = check(database)
        assert names == ["two"]
        assert len(flaws) == 1


def test_chunk_that_fails_is_verified_again_first(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that changed, say, break records whose rows are as they were when they held."""
    check(database)
    taken = TournamentVerifier.taken

    def fail(verifier: TournamentVerifier, reply: VerifyReply) -> Iterator[CheckedMatch]:
        for match in taken(verifier, reply):
            yield match._replace(findings=[Finding("the rules changed")])

    with monkeypatch.context() as patch:
        patch.setattr(TournamentVerifier, "taken", fail)
        assert len(check(database, age=timedelta(0))[2]) == 18
    assert check(database)[1] == [*NAMES]


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"format":"tourney-verified/1","version":"1","chunks":{}}', '{"format":"tourney-verified/2",'],
)
def test_damaged_file_is_named_and_replaced(database: str, text: str) -> None:
    check(database)
    place = Path(f"{database}-verified.json")
    place.write_text(text)
    partial, names, _ = check(database)
    assert names == [*NAMES]
    assert next(partial.sentences()).startswith(f"{place} cannot be read")
    assert check(database)[1] == []


def test_other_version_verifies_all_matches(database: str) -> None:
    check(database)
    place = Path(f"{database}-verified.json")
    place.write_text(json.dumps({**json.loads(place.read_text()), "version": "0.0.1"}))
    partial, names, _ = check(database)
    assert names == [*NAMES]
    assert next(partial.sentences()) == f"{place} is of Tourney 0.0.1, so all is verified again"


def test_part_of_one_tournament_leaves_the_others_as_they_were(database: str) -> None:
    check(database)
    words = ("verify", "two", "--max-duration", "1h", "--db", database)
    done = invoke(*words)
    assert (done.exit_code, done.stdout.splitlines()[:2]) == (
        0,
        ["6 records hold", "two is whole: 3 rounds, 6 matches"],
    )
    assert check(database)[1] == []


def test_command_says_what_it_covered(database: str) -> None:
    words = ("verify", "--all", "--max-age", "7d", "--max-duration", "1h", "--db", database)
    done = invoke(*words)
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "18 records hold")
    assert "18 matches verified now; none left" in done.stderr
    document = json.loads(invoke(*words, "--format", "json").stdout)
    assert (document["checked"], document["left"], document["holds"]) == (0, 0, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("1", "--max-age", "7d"), "--max-age goes with --all or a TOURNAMENT"),
        (("--root", "0" * 64, "--max-duration", "1h"), "--max-duration goes with --all or a TOURNAMENT"),
        (("--all", "--max-age", "soon"), "--max-age 'soon' is not a time span"),
    ],
)
def test_wrong_use_is_one_sentence(database: str, words: tuple[str, ...], message: str) -> None:
    done = invoke("verify", *words, "--db", database)
    assert done.exit_code == 2
    assert message in done.stderr
