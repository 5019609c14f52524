"""``tourney commit``, beacons, and that nothing of a running tournament tells its dice."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import invoke
from tests.support.gates import FIRST
from tourney.check.root import beacon_seed
from tourney.seeds import bot_seed, derive
from tourney.store.database import Database

WRONG = FIRST.replace('echo "move $action"', "echo move nowhere")
CUP = """name = "cup"
game = "sage-stones"
bots = ["./first", "./other", "./wrong"]
games-per-pairing = 8
mirrored-dice = true
opening-plies = 2
[options]
stones = 4
[run]
sandbox = "off"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("first", FIRST), ("other", FIRST + "# other\n"), ("wrong", WRONG)):
        path = tmp_path / name
        path.write_text(text, encoding="ascii")
        path.chmod(0o755)
    (tmp_path / "cup.toml").write_text(CUP, encoding="ascii")
    return tmp_path


def committed() -> str:
    done = invoke("commit", "cup.toml", "--format", "json")
    assert done.exit_code == 0, done.stderr
    found: str = json.loads(done.stdout)["commitment"]
    return found


def secrets_of(database: Database) -> Iterator[str]:
    """Yield the seed, its salt, the match seeds to come, and what follows from them."""
    tournament = database.tournaments.get()
    yield tournament.origin.salt
    numbers = [tournament.seed]
    for _, row in database.schedules.pending(tournament.id):
        seed = tournament.plan.seed_of(tournament.seed, row)
        numbers += [seed, *(bot_seed(seed, seat) for seat in (1, 2)), derive(seed, "book")]
        numbers += [derive(seed, "chance", k) for k in range(40)]
        numbers += [derive(seed, "opening", attempt, j) for attempt in range(3) for j in range(3)]
        numbers += [derive(seed, "substitute", seat, j) for seat in (1, 2) for j in range(3)]
    for number in numbers:
        yield str(number)
        yield f"{number:x}"


COMMANDS = [
    ["status"],
    ["status", "--format", "json"],
    ["standings", "--format", "json"],
    ["ratings", "--format", "json"],
    ["export"],
    ["export", "--what", "tournament"],
    ["export", "--what", "tournament", "--measured"],
    ["export", "--proof", "plan"],
    *(["export", "--what", what] for what in ("matches", "seats", "pairs", "entrants", "faults", "times")),
    ["report", "--out", "report", "--with-logs", "--base-url", "https://example.org/cup/"],
    ["report", "--out", "report-live", "--live", "60"],  # as of --watch, and of a run's --report
    ["verify", "--all"],
    ["audit", "--format", "json"],
    ["show", "cup/1", "--json"],
    ["commit", "cup.toml"],
    ["run", "cup.toml", "--dry-run"],
]


@pytest.mark.slow
def test_nothing_of_a_running_tournament_tells_its_dice(folder: Path) -> None:
    """The run is ended by a fault, in the middle of groups that share their dice."""
    words = ("--max-faults", "1", "--workers", "1", "--log", "run.log")
    done = invoke("run", "cup.toml", *words, "--format", "json")
    assert done.exit_code == 1, done.stderr
    texts = {"run": done.stdout + done.stderr, "log": Path("run.log").read_text(encoding="utf-8")}
    with closing(sqlite3.connect("tourney.db")) as connection:  # one match of a group is still to be played
        [number] = connection.execute('SELECT max(id) FROM "match"').fetchone()
        for table, key in (("seat", "match_id"), ('"match"', "id")):
            connection.execute(f"DELETE FROM {table} WHERE {key} = {number}")  # noqa: S608 - our own words
        connection.commit()
    for command in COMMANDS:
        done = invoke(*command)
        texts[" ".join(command)] = done.stdout + done.stderr
    for path in [*folder.glob("report*/**/*"), *folder.glob("*.status*")]:
        if path.is_file():
            texts[path.name] = path.read_bytes().decode("utf-8", "replace")
    assert len(texts) > len(COMMANDS) + 10
    with Database.open("tourney.db") as database:
        hidden = list(secrets_of(database))
        tournament = database.tournaments.get()
        sealed = database.schedules.open_groups(tournament.id)
        assert sealed
        hidden += [str(database.records.get(tournament.id, one).seed) for one in sealed]
    assert len(hidden) > 1000
    found = {(where, word) for where, text in texts.items() for word in hidden if word in text}
    assert found == set()
    for number in sealed:
        done = invoke("show", f"cup/{number}", "--json")
        assert (done.exit_code, "shares its seed with a match" in done.stderr) == (2, True)


def test_commitment_is_opened_by_the_end(folder: Path) -> None:
    commitment = committed()
    assert invoke("verify", "--commitment", commitment).exit_code == 0
    proof = folder / "plan.json"
    invoke("export", "--proof", "plan", "--out", str(proof))
    assert "seed-commitment" in json.loads(proof.read_text(encoding="ascii"))["entry"]
    done = invoke("verify", "--commitment", commitment, "--proof", str(proof))
    assert (done.exit_code, "belongs to this commitment" in done.stdout) == (0, True)
    assert invoke("verify", "--commitment", "0" * 64, "--proof", str(proof)).exit_code == 1
    invoke("export", "--what", "tournament", "--out", "open.jsonl")
    done = invoke("verify", "open.jsonl", "--commitment", commitment)
    assert (done.exit_code, "cup has this commitment" in done.stdout) == (0, True)
    done = invoke("import", "open.jsonl", "--db", "other.db")
    assert (done.exit_code, "--private" in done.stderr) == (2, True)
    assert invoke("run", "cup.toml", "--quiet").exit_code == 0
    invoke("export", "--what", "tournament", "--out", "cup.jsonl")
    for words in ([], ["cup"], ["cup.jsonl"]):
        done = invoke("verify", *words, "--commitment", commitment)
        assert (done.exit_code, "cup has this commitment" in done.stdout) == (0, True), done.stderr
    assert invoke("verify", "cup.jsonl", "--commitment", "0" * 64).exit_code == 1
    text = Path("cup.jsonl").read_text(encoding="ascii")
    assert json.loads(text.splitlines()[0])["commitment"] == commitment
    Path("cup.jsonl").write_text(text.replace('"salt":"', '"salt":"0')[:-1], encoding="ascii")
    assert invoke("verify", "cup.jsonl").exit_code == 1


def test_beacon_gives_the_seed_after_the_commitment(folder: Path) -> None:
    text = CUP.replace("[options]", '[beacon]\nround = "drand 7"\n[options]').replace("= 8", "= 2")
    (folder / "cup.toml").write_text(text, encoding="ascii")
    assert "tourney commit cup.toml" in invoke("run", "cup.toml").stderr
    commitment = committed()
    assert "waits for drand 7" in invoke("run", "cup.toml").stderr
    value = "AB" * 32
    assert invoke("run", "cup.toml", "--beacon", "ABC").exit_code == 2
    assert invoke("run", "cup.toml", "--beacon", value, "--quiet").exit_code == 0
    assert "cannot take the value" in invoke("run", "cup.toml", "--beacon", "cd" * 32).stderr
    with Database.open("tourney.db") as database:
        tournament = database.tournaments.get()
    assert tournament.seed == beacon_seed(commitment, tournament.origin.salt, value.lower())
    done = invoke("verify", "--all")
    assert (done.exit_code, "the public beacon drand 7" in done.stdout) == (0, True), done.stdout
    with closing(sqlite3.connect("tourney.db")) as connection:
        connection.execute("UPDATE tournament SET beacon = replace(beacon, 'abab', 'abac')")
        connection.commit()
    assert "does not follow from its beacon" in invoke("verify", "--all").stdout
