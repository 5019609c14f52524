"""``tourney show``, by file and by match number."""

import json
from pathlib import Path

import pytest
from msgspec import structs

from tests.support.command import invoke
from tests.support.records import as_json, digested
from tourney.cli.show import end_text, head_lines
from tourney.match.record import Outcome, Record
from tourney.match.result import NOT_MEASURED, LogLine
from tourney.store.database import Database


def stored(database: str, number: int) -> Record:
    """Return the stored record of a match."""
    with Database.open(database) as repository:
        return repository.records.get(repository.tournaments.get("cup").id, number)


def test_show_prints_header_actions_and_last_board(file: Path, record: Record) -> None:
    """The output has seats, seed, opening, outcome, numbered actions and the last board."""
    done = invoke("show", str(file))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == str(file)
    assert any(line.startswith("game     sage-stones, rules 1, ") for line in lines)
    assert f"seed     {record.seed}" in lines
    assert "opening  2 plies drawn from the seed" in lines
    assert "seat 1   drawn-1 (drawn@1, 99fa6de59312)" in lines
    ranks = " ".join(map(str, record.outcome.ranks))
    assert f"outcome  ranks {ranks}, last-stone" in lines
    count = len(record.actions)
    for number, (actor, action) in enumerate(record.actions, start=1):
        who = "chance" if actor == 0 else f"seat {actor}"
        assert f"{number:5}  {who:8} {action}" in lines
    over = lines[lines.index(f"after {count} actions") + 1]
    winner = 1 + record.outcome.ranks.index(1)
    assert over == f"over: seat {winner} won (last-stone)"
    assert "\x1b" not in done.stdout


def test_show_with_board_prints_the_board_after_every_action(file: Path, record: Record) -> None:
    """With the action in place of the list of actions; the last board is that of the end."""
    done = invoke("show", str(file), "--board").stdout
    count = len(record.actions)
    parts = done.split("\nafter ")[1:]
    assert len(parts) == count + 1
    actions = [line for line in done.splitlines() if line.startswith("after ")]
    assert actions[0] == "after 0 actions"
    assert record.actions[0][1] in actions[1]
    assert f"over: {end_text(record.outcome).removeprefix('over: ')}" in parts[-1]
    assert parts[-1].splitlines()[-3:] == invoke("show", str(file)).stdout.splitlines()[-3:]
    refused = invoke("show", str(file), "--board", "--ply", "1")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "error: --board shows the board after every action: leave out --ply\n",
    )


def test_show_with_ply_prints_one_board(file: Path, record: Record) -> None:
    """``--ply N`` prints the board after N actions; at 0 it is empty."""
    begun = invoke("show", str(file), "--ply", "0").stdout
    assert "after 0 actions" in begun
    assert "in hand, by colour: 1: 10, 2: 10, 3: 10, 4: 10" in begun
    assert "roll-" not in begun.partition("after 0")[0]
    done = invoke("show", str(file), "--ply", "1000")
    assert done.exit_code == 2
    count = len(record.actions)
    assert f"has {count} actions: --ply takes a number from 0 to {count}" in done.stderr
    assert "over: " not in begun
    assert "over: seat" in invoke("show", str(file), "--ply", str(count)).stdout


def test_show_counts_one_action_in_the_singular(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(digested(as_json(record) | {"actions": record.actions[:1]})))
    done = invoke("show", str(path), "--ply", "2")
    assert done.stderr == f"error: {path} has 1 action: --ply takes a number from 0 to 1\n"
    assert "after 1 action\n" in invoke("show", str(path)).stdout


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ((2, 1), "seat 2 won"),
        ((1, 1), "a draw"),
        ((1, 3, 1), "seats 1 and 3 share the first place"),
    ],
)
def test_end_names_who_won(ranks: tuple[int, ...], words: str) -> None:
    assert end_text(Outcome(ranks, "points", ())) == f"over: {words} (points)"


def test_show_as_json_has_record_measurements_and_log(database: str) -> None:
    """The record is unchanged."""
    data = json.loads(invoke("show", "2", "--db", database, "--json").stdout)
    assert data["record"] == as_json(stored(database, 2))
    assert data["log"][1] == {"ply": 4, "seat": 0, "kind": "note", "text": "well played"}
    assert data["measured"]["reproducible"] is True


def test_show_by_number_prints_times_and_escaped_log(database: str) -> None:
    """Bots' output is hostile: escape sequences are shown, not sent to the terminal."""
    done = invoke("show", "cup/2", "--db", database, "--log")
    assert done.stdout.startswith("match 2 of cup\n")
    assert " ms\n" in done.stdout
    assert "    3  seat 1   info: red \\x1b[31m\n" in done.stdout
    assert "    4  referee  note: well played\n" in done.stdout


def test_show_warns_about_a_changed_record(tmp_path: Path, record: Record) -> None:
    """The record is shown with a warning, even if its actions give no board."""
    bad = as_json(record)
    bad["actions"][0][1] = "zz"
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(bad), encoding="utf-8")
    done = invoke("show", str(path))
    assert done.exit_code == 0
    assert "the digest does not match the record" in done.stderr
    assert "no board: action 1 is not legal" in done.stderr


@pytest.mark.parametrize("command", ["show", "rerun", "verify"])
@pytest.mark.parametrize(
    ("words", "says", "code"),
    [
        ("nothing", "'nothing' is not a match", 2),
        ("7", "there is no match 7", 2),
        ("6", "match 6 is void: sandbox failed", 2),
        ("other/1", "there is no tournament 'other'", 2),
    ],
)
def test_unknown_match_is_refused(command: str, words: str, says: str, code: int, database: str) -> None:
    """All three commands print the same sentence."""
    done = invoke(command, words, "--db", database)
    assert done.exit_code == code
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["show", "rerun"])
def test_file_without_a_record_is_refused(command: str, tmp_path: Path) -> None:
    """The file is other JSON, or is missing."""
    path = tmp_path / "file"
    for text, says in (
        ('{"a": 1}', 'is not a record: unknown key "a"'),
        ("x", "is not JSON"),
    ):
        path.write_text(text, encoding="utf-8")
        done = invoke(command, str(path))
        assert done.exit_code == 2
        assert says in done.stderr


def rerun(*words: str, bots: Path) -> tuple[int, str, str]:
    done = invoke("rerun", *words, "--bots", str(bots), "--sandbox", "off", "--workers", "2")
    return done.exit_code, done.stdout, done.stderr


def test_log_of_one_seat_leaves_out_other_lines(database: str) -> None:
    """The stored log has a line of seat 1 and a note of the referee."""
    log = invoke("show", "1", "--log", "--seat", "1", "--db", database).stdout.partition("\nlog\n")[2]
    assert "seat 1   info: red" in log
    assert "referee" not in log
    document = json.loads(invoke("show", "1", "--seat", "2", "--format", "json", "--db", database).stdout)
    assert document["log"] == []
    alone = invoke("show", "1", "--seat", "1", "--db", database)
    assert (alone.exit_code, "--seat chooses lines of the log: add --log" in alone.stderr) == (2, True)
    beyond = invoke("show", "1", "--log", "--seat", "3", "--db", database)
    assert (beyond.exit_code, "there is no seat 3: match 1 of cup has 2" in beyond.stderr) == (2, True)


def test_show_prints_the_cause_of_a_fault(record: Record) -> None:
    seat_two_failed = Outcome((1, 2), "fault", ((2, "timeout", 3),))
    log = (
        LogLine(0, 2, "note", "timeout: an earlier note"),
        LogLine(3, 2, "stderr", "out of\x1b[0m ideas"),
        LogLine(3, 2, "stderr", "---"),
        LogLine(3, 1, "stderr", "not of this seat"),
        LogLine(3, 2, "note", "timeout: no answer within 50 ms; its last output was 'bestmov e2e4'"),
        LogLine(3, 0, "note", "over"),
    )
    lines = list(head_lines(structs.replace(record, outcome=seat_two_failed), NOT_MEASURED, log))
    fault = lines.index("fault    seat 2: timeout after 3 actions")
    assert lines[fault + 1 : fault + 4] == [
        "         timeout: no answer within 50 ms; its last output was 'bestmov e2e4'",
        "         standard error: out of\\x1b[0m ideas",
        f"digest   {record.digest}",
    ]
