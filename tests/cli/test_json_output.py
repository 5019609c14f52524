"""``--format json``: every command that prints a table or a verdict, and the schema of what it prints."""

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from jsonschema import Draft202012Validator

from scripts.make_reference import documents, file_of, json_page, main
from tests.support.addons import ABSENT, assert_committed
from tests.support.command import TOYS, invoke, offering
from tests.support.documents import FOLDER, Printer, commands_of, kinds_of
from tests.support.folders import write_shell_bot
from tourney.bots.sandbox.probe import ProbeFinding
from tourney.bots.sandbox.sandbox import PROTECTIONS
from tourney.cli import doctor
from tourney.match.machine_settings import machine_settings

OTHERS = {
    "demo": "prints the path of its report",
    "rules": "is a dialogue of lines",
    "play": "is a dialogue with a person",
    "bots new": "prints the paths of the files that it writes",
    "report": "prints the path of its report",
    "export": "writes records and tables in formats of their own",
    "import": "prints sentences on standard error alone",
    "db upgrade": "prints sentences on standard error alone",
    "db backup": "prints the path of the backup",
    "db copy": "prints sentences on standard error alone",
    "db merge": "prints sentences on standard error alone",
    "db withdraw": "prints sentences",
    "db remove": "prints the path of the backup",
    "db rename": "prints sentences on standard error alone",
    "db archive": "prints the path of the archive",
    "db unarchive": "prints sentences on standard error alone",
    "completion": "prints a script",
}
"""The commands that print neither a table nor a verdict."""

LIMITS = """
[limits]
move-ms = 600000
startup-ms = 600000
[run]
sandbox = "off"
"""
CUP = f"""
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble", "./mute"]
{LIMITS}
"""
SWISS = f"""
name = "swiss"
game = "sage-stones"
format = "swiss"
rounds = 2
seed = 3  # with it pebble has no bye
bots = ["pebble"]
[[entrant]]
bot = "pebble"
name = "second"
[[entrant]]
bot = "pebble"
name = "third"
{LIMITS}
"""
GAMES = '{"white": "ann", "black": "bob", "result": "1-0"}\n{"white": "bob", "black": "ann", "result": "?"}\n'
pytestmark = pytest.mark.slow  # as a whole: the last test counts what the others checked

printed = Printer()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two finished tournaments, one of them with a bot that crashes, and files to check."""
    folder = tmp_path_factory.mktemp("home")
    write_shell_bot(folder, "mute", "*) exit 3;;", games='["sage-stones"]')
    (folder / "games.jsonl").write_text(GAMES)
    for name, text in (("cup", CUP), ("swiss", SWISS)):
        (folder / f"{name}.toml").write_text(text)
        where = ("--db", str(folder / "t.db"), "--bots", str(folder / "bots"))
        words = ("run", str(folder / f"{name}.toml"), "--workers", "1", *where)
        assert printed(*words, "--dry-run")["started"] is False
        assert printed(*words)["end"] == "finished"
    return folder


def test_every_command_prints_documents_or_says_why_not() -> None:
    assert commands_of(None) - set(documents()) == set(OTHERS)
    for name, kinds in documents().items():
        assert kinds, name


def test_committed_schemas_are_current(tmp_path: Path) -> None:
    """``make reference`` regenerates them; no other file lies beside them."""
    assert main([str(tmp_path)]) == 0
    made = {path.name: path.read_text("utf-8") for path in (tmp_path / "json").iterdir()}
    committed = {path.name: path.read_text("utf-8") for path in FOLDER.iterdir()}
    assert made.keys() <= committed.keys()
    assert made.keys() == committed.keys() or ABSENT
    for name, text in made.items():
        assert_committed(text, committed[name])
    kinds = {kind for kinds in documents().values() for kind in kinds}
    assert len({file_of(kind) for kind in kinds}) == len(kinds), "one file a kind"
    assert json_page() == made["README.md"]
    for kind in kinds:
        Draft202012Validator.check_schema(json.loads(made[file_of(kind)]))


def test_games_and_their_checks_are_documents(tmp_path: Path) -> None:
    with offering(**TOYS, broken="tests.nowhere:Gone"):
        games = printed("games", code=1)
        assert [game["name"] for game in games["games"]] == ["odds", "race", "toe"]
        assert len(games["broken"]) == 1
        assert printed("perft", "race", "4")["count"] == 16
        divided = printed("perft", "race", "4", "--divide")["divided"]
        assert divided == [{"action": "roll-1", "count": 8}, {"action": "roll-2", "count": 8}]
        assert printed("check-game", "toe", "--games", "2")["passed"] is True
    with offering(toe="tests.support.broken:WrongActor"):
        failed = printed("check-game", "toe", "--games", "2", code=1)
    assert (failed["passed"], bool(failed["failed"][0]["what"])) == (False, True)


def test_bots_and_trials_are_documents(home: Path, tmp_path: Path) -> None:
    bots = ("--bots", str(tmp_path / "bots"))
    patient = ("--move-ms", "600000", "--startup-ms", "600000", "--sandbox", "off")
    mute = str(home / "mute")
    (added,) = printed("bots", "add", mute, *bots)["bots"]
    listed = {bot["name"]: bot for bot in printed("bots", "list", *bots)["bots"]}
    assert listed["mute"]["digest"] == added["digest"]
    assert listed["mute"]["games"] == ["sage-stones"]
    shown = printed("bots", "show", "mute", *bots)
    assert (shown["digest"], shown["built"]) == (added["digest"], None)
    passed = printed("bots", "check", "pebble", *patient, *bots)
    assert passed["passed"] is True
    failed = printed("bots", "check", mute, "--game", "sage-stones", *patient, *bots, code=1)
    assert (failed["passed"], failed["trials"][0]["ok"]) == (False, False)
    (removed,) = printed("bots", "remove", "mute", *bots)["bots"]
    assert removed == added
    assert printed("bots", "remove", "--undo", removed["digest"][:12], *bots)["bots"] == [added]


def test_tournaments_are_documents(home: Path) -> None:
    db = ("--db", str(home / "t.db"))
    cup, swiss = printed("status", *db)["tournaments"]
    assert cup["faults"] == [{"entrant": "mute", "kind": "startup", "count": cup["done"]}]
    assert (swiss["state"], swiss["rounds"], swiss["planned_rounds"]) == ("finished", 2, 2)
    standings = printed("standings", "swiss", *db)
    assert standings["finished"] is True
    assert set(standings["ranked_by"]) <= {
        *standings["standings"][0],
        *standings["standings"][0]["tie_breaks"],
    }
    kinds = {line["name"]: line["kinds"] for line in printed("standings", "cup", *db)["standings"]}
    assert kinds == {"pebble": {}, "mute": {"startup": cup["done"]}}
    assert len(printed("ratings", "swiss", *db)["ratings"]) == 3
    assert len(printed("ratings", "swiss", "--show", "pairs", *db)["pairs"]) == 3
    assert set(printed("ratings", "swiss", "--show", "pool", *db)["p_best"]) == {"pebble", "second", "third"}
    measured = printed("ratings", "swiss", "--method", "trueskill", *db)["ratings"][0]["measures"]
    assert set(measured) == {"mu", "sigma", "exposed"}


def test_versions_are_a_document(home: Path) -> None:
    db = ("--db", str(home / "t.db"))
    every = printed("ratings", "--all", "--anchor", "pebble=500", "--any-host", *db)
    assert (every["game"], every["reference"], every["tournaments"]) == (
        "sage-stones",
        "swiss",
        ["cup", "swiss"],
    )
    assert {line["name"]: line["tournaments"] for line in every["versions"]} == {"pebble": 2, "mute": 1}
    assert [line["elo"] for line in every["versions"] if line["name"] == "pebble"] == [500.0]
    pairs = printed("ratings", "--all", "--show", "pairs", "--any-host", *db)["pairs"]
    assert (pairs[0]["a"], pairs[0]["b"]) == ("pebble 1.0", "mute 1.0")


def test_results_of_files_are_documents(home: Path) -> None:
    games = str(home / "games.jsonl")
    assert [line["name"] for line in printed("rate", games)["ratings"]] == ["ann", "bob"]
    superiority = printed("rate", games, "--show", "los")
    assert superiority["better"][0][0] is None
    assert len(printed("rate", games, "--show", "problems")["problems"]) == 1


def test_matches_and_their_verification_are_documents(home: Path, tmp_path: Path) -> None:
    db = ("--db", str(home / "t.db"))
    match = printed("show", "swiss/1", *db)
    assert (match["digest_holds"], len(match["boards"])) == (True, 1)
    assert match["boards"][0]["ply"] == len(match["record"]["actions"])
    boards = printed("show", "swiss/1", "--board", *db)["boards"]
    assert len(boards) == len(match["record"]["actions"]) + 1
    holds = printed("verify", "--all", *db)
    assert holds["holds"] is True
    assert [line["whole"] for line in holds["tournaments"]] == [True, True]
    record = match["record"]
    record["actions"] = record["actions"][:-1]
    (tmp_path / "bad.json").write_text(json.dumps(record))
    broken = printed("verify", str(tmp_path / "bad.json"), code=1)
    assert (broken["holds"], broken["wrong"], bool(broken["findings"])) == (False, 1, True)
    status = printed("status", "swiss", *db)["tournaments"][0]
    assert printed("verify", "--root", status["root"], *db)["root_of"] == "swiss"
    assert printed("verify", "--root", "0" * 64, *db, code=1)["holds"] is False
    proof = tmp_path / "proof.json"
    assert invoke("export", "swiss", "--proof", "1", "--out", str(proof), *db).exit_code == 0
    proved = printed("verify", "--proof", str(proof), "--root", status["root"], *db)
    assert proved["entries"] == status["rows"] + 1
    assert printed("verify", "--proof", str(proof), "--root", "0" * 64, *db, code=1)["failures"]
    bots = ("--bots", str(home / "bots"), "--sandbox", "off")
    assert printed("rerun", "swiss/1", *db, *bots)["same"] == 1
    again = printed("rerun", "swiss", "--sample", "1", "--seed", "3", "--workers", "1", *db, *bots)
    assert (again["picked"], again["same"], again["seed"]) == (1, 1, "3")


def test_machines_and_databases_are_documents(home: Path) -> None:
    enforced = [ProbeFinding(name, "enforced", "tried") for name in PROTECTIONS]
    with patch.object(doctor, "probe_sandbox", lambda *_: iter(enforced)):
        assert printed("doctor", "--level", "off")["holds"] is True
    with patch.object(doctor, "probe_sandbox", lambda *_: iter([enforced[0]._replace(degree="absent")])):
        assert printed("doctor", "--level", "strict", code=1)["holds"] is False
    settings = machine_settings()
    for even, code in ((True, 0), (False, 1)):
        some = [setting._replace(even=even) for setting in settings]
        with patch.object(doctor, "machine_settings", lambda some=some: some):
            assert printed("doctor", "--machine", code=code)["holds"] is even
    assert printed("db", "check", "--db", str(home / "t.db"))["problems"] == []


def test_audit_and_commitment_are_documents(home: Path, tmp_path: Path) -> None:
    assert printed("audit", "cup", "--db", str(home / "t.db"))["tournament"] == "cup"
    (tmp_path / "new.toml").write_text(CUP.replace('"./mute"', '"random"'))
    where = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    assert len(printed("commit", str(tmp_path / "new.toml"), *where)["commitment"]) == 64


def test_bad_input_prints_no_document(home: Path) -> None:
    for words in (("standings", "nothing"), ("show", "99"), ("verify", "--root", "x")):
        done = invoke(*words, "--format", "json", "--db", str(home / "t.db"))
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")


def test_output_that_is_not_utf8_stays_json(home: Path) -> None:
    done = invoke("status", "--format", "json", "--db", str(home / "t.db"), env={"PYTHONIOENCODING": "ascii"})
    assert json.loads(done.stdout)["format"] == "tourney-status/1"


def test_every_kind_of_document_was_checked() -> None:
    """The tests above print each kind at least once; run this module as a whole."""
    assert kinds_of(None) == printed.seen
