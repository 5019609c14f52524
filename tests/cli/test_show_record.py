"""The record as ``tourney show --record`` prints it, at each command that takes records."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import invoke, run_file
from tests.support.folders import write_shell_bot
from tourney.match.record import MATCH_DOCUMENT, Record
from tourney.store.database import Database


def printed(match: str, db: str) -> bytes:
    """The record of a match, the same from each command that offers it."""
    shown = invoke("show", match, "--record", "--db", db)
    assert (shown.exit_code, shown.stderr) == (0, "")
    exported = invoke("export", match, "--db", db)
    assert (exported.exit_code, exported.stderr) == (0, "")
    assert exported.stdout_bytes == shown.stdout_bytes
    return shown.stdout_bytes


@pytest.mark.parametrize("match", ["2", "cup/2"])
def test_record_is_a_line_of_the_export(database: str, match: str, tmp_path: Path) -> None:
    text = printed(match, database)
    lines = invoke("export", "--db", database).stdout_bytes.splitlines(keepends=True)
    assert text == lines[1]
    out = tmp_path / "record.json"
    done = invoke("export", match, "--out", str(out), "--db", database)
    assert (done.exit_code, done.stderr) == (0, f"the record of {match} written to {out}\n")
    assert out.read_bytes() == text
    again = invoke("show", str(out), "--record")
    assert (again.exit_code, again.stdout_bytes) == (0, text)


def test_match_without_a_record_is_refused_by_name(database: str) -> None:
    for words in (("show", "6", "--record"), ("export", "6"), ("export", "cup/6")):
        done = invoke(*words, "--db", database)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "match 6 is void: sandbox failed" in done.stderr


@pytest.mark.parametrize("option", [["--ply", "1"], ["--board"], ["--log"], ["--json"], ["--format", "json"]])
def test_record_goes_with_no_other_form(file: Path, option: list[str]) -> None:
    done = invoke("show", str(file), "--record", *option)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {' '.join(option).removesuffix(' 1')} does not go with --record")


@pytest.mark.parametrize("words", [["--what", "seats"], ["--format", "pgn"], ["--what", "tournament"]])
def test_of_one_match_the_record_alone_is_exported(database: str, words: list[str]) -> None:
    done = invoke("export", "cup/2", *words, "--db", database)
    assert (done.exit_code, "leave out --what and --format" in done.stderr) == (2, True)


def test_tournament_called_as_a_number_is_exported_as_one(tmp_path: Path) -> None:
    path = str(tmp_path / "t.db")
    with Database.open(path, create=True) as database:
        genuine.play_all(database, genuine.begin(database, name="2"))
    assert invoke("export", "2", "--db", path).stdout.count("\n") == 6
    assert invoke("export", "2/2", "--db", path).stdout.count("\n") == 1


def test_changed_record_is_printed_with_a_warning(tmp_path: Path, record: Record) -> None:
    changed = json.loads(record.encode())
    changed["seed"] = "1"
    (tmp_path / "bad.json").write_text(json.dumps(changed), encoding="utf-8")
    done = invoke("show", str(tmp_path / "bad.json"), "--record")
    assert (done.exit_code, json.loads(done.stdout)) == (0, changed)
    assert "the digest does not match the record" in done.stderr


def test_document_of_show_names_the_form_that_is_taken(database: str, tmp_path: Path) -> None:
    """Each command that takes records says how to print one, instead of naming an unknown key."""
    file = tmp_path / "match.json"
    file.write_text(invoke("show", "2", "--json", "--db", database).stdout, encoding="utf-8")
    assert json.loads(file.read_text(encoding="utf-8"))["format"] == MATCH_DOCUMENT
    one_line = tmp_path / "line.json"
    one_line.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8"))), encoding="utf-8")
    bot = write_shell_bot(tmp_path, "bot", "")
    for words in (
        ["verify", str(one_line)],
        ["rerun", str(file)],
        ["show", str(file)],
        ["debug", str(file), "--seat", "1", "--bot", str(bot)],
        ["import", str(one_line), "--name", "one", "--db", str(tmp_path / "new.db")],
    ):
        done = invoke(*words)
        text = done.stdout + done.stderr
        assert done.exit_code == (1 if words[0] == "verify" else 2), text
        assert "it is a document of `tourney show --json`" in text
        assert "`tourney show MATCH --record` prints the record" in text
        assert "unknown key" not in text


def test_sealed_match_is_shown_by_no_command(tmp_path: Path) -> None:
    path = str(tmp_path / "t.db")
    with Database.open(path, create=True) as database:
        genuine.play_all(database, genuine.begin(database), most=1)
    bot = write_shell_bot(tmp_path, "bot", "")
    for words in (
        ["show", "1", "--record"],
        ["export", "1"],
        ["debug", "1", "--seat", "1", "--bot", str(bot)],
    ):
        done = invoke(*words, "--db", path)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "match 1 of cup shares its seed with a match that is still to be played" in done.stderr


FIRST = (
    """tourney) echo bot wants=legal;; game) echo ready;; legal) legal=$rest;; go) echo move ${legal%% *};;"""
)
KINDS = {
    "illegal": FIRST.replace("move ${legal%% *}", "move nowhere"),
    "quitter": FIRST.replace("move ${legal%% *}", "resign"),
    "crasher": FIRST.replace("echo move ${legal%% *}", "exit 3"),
    "dead": "*) exit 1;;",
    "dead-too": "*) exit 2;;",
}
CUP = """
name = "cup"
game = "sage-stones"
seed = 7
seats = {seats}
bots = [{bots}]
[limits]
move-ms = 600000
startup-ms = 600000
[run]
sandbox = "off"
"""


def doors(file: Path, folder: Path, text: bytes) -> Iterator[tuple[str, int, str]]:
    """Give a record to each command; yield its name, exit code and what it printed."""
    file.write_bytes(text)
    record = json.loads(text)
    bots = ("--bots", str(folder / "bots"))
    done = invoke("verify", str(file))
    yield "verify", done.exit_code, done.stdout + done.stderr
    done = invoke("rerun", str(file), "--sandbox", "off", *bots)
    yield "rerun", done.exit_code, done.stdout + done.stderr
    for seat, entrant in enumerate(record["seats"], 1):
        program = str(folder / entrant["bot"])
        done = invoke(*("debug", str(file), "--seat", str(seat), "--bot", program, "--sandbox", "off"), *bots)
        yield "debug", done.exit_code, done.stdout + done.stderr
    for source, given in ((str(file), None), ("-", text)):
        target = file.with_suffix(f".{len(source)}.db")
        done = invoke("import", source, "--name", "one", "--db", str(target), given=given)
        yield "import", done.exit_code, done.stdout + done.stderr
        assert printed("1", str(target)) == text
        target.unlink()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "names"),
    [
        (2, ["first", "illegal", "crasher"]),
        (2, ["first", "quitter", "dead"]),
        (2, ["first", "dead", "dead-too"]),
        (3, ["first", "illegal", "quitter"]),
        (3, ["first", "first-too", "crasher"]),
        (4, ["first", "illegal", "quitter", "dead"]),
        (4, ["first", "first-too", "crasher", "quitter"]),
    ],
)
def test_every_command_takes_the_printed_record(tmp_path: Path, seats: int, names: list[str]) -> None:
    """Of matches with each fault, of a void one in which no bot starts, and of all of them imported again."""
    for name in names:
        write_shell_bot(tmp_path, name, KINDS.get(name, FIRST), games='["sage-stones"]')
    records = run_file(tmp_path, CUP.format(seats=seats, bots=", ".join(f'"./{name}"' for name in names)))
    db = str(tmp_path / "t.db")
    kinds: set[str] = set()
    for number, record in enumerate(records, 1):
        faults = str(record["outcome"]["faults"])
        if faults in kinds:  # each way in which a match ends once
            continue
        kinds.add(faults)
        text = printed(f"cup/{number}", db)
        for name, code, said in doors(tmp_path / "record.json", tmp_path, text):
            # For a seat that had left a table of three, the program's actions differ from the referee's.
            assert code in ({0, 1} if name == "debug" and seats > 2 else {0}), (name, said)
    whole = tmp_path / "cup.jsonl"
    assert invoke("export", "--what", "tournament", "--out", str(whole), "--db", db).exit_code == 0
    other = str(tmp_path / "other.db")
    assert invoke("import", str(whole), "--db", other).exit_code == 0
    assert [printed(str(n), other) for n in range(1, len(records) + 1)] == [
        printed(str(n), db) for n in range(1, len(records) + 1)
    ]
