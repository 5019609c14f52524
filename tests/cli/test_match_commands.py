"""``tourney show``, ``tourney verify`` and ``tourney rerun``, by file and by match number.

It is one file because the three commands are tried on the same few stored matches.
"""

import json
import sqlite3
from pathlib import Path

import pytest

from tests import genuine
from tests.command import ROOT, invoke
from tests.gates import FIRST
from tourney.bots.catalogue.store import BotStore
from tourney.cli.show import end_text
from tourney.match.named_seeds import NamedSeed, named_seed_json, play_named, random_spec
from tourney.match.record import Record, digest_of
from tourney.match.result import PlayedMatch, pack
from tourney.match.spec import Entrant, Limits, MatchSpec, Opening
from tourney.store.repository import Repository


def play_random(seed: int) -> PlayedMatch:
    return play_named(NamedSeed("x", random_spec("sage-stones", 2, seed, opening=Opening(plies=2)), ""))


@pytest.fixture
def record() -> Record:
    """The record of a real match."""
    return play_random(7).record


@pytest.fixture
def file(tmp_path: Path, record: Record) -> Path:
    """A file with one record."""
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A tournament of six matches: five are played, one is void because its machine failed."""
    path = str(tmp_path / "tourney.db")
    with Repository.open(path, create=True) as repository:
        genuine.play_all(repository, genuine.begin(repository), void=(6,))
    return path


def stored(database: str, number: int) -> Record:
    """Return the stored record of a match."""
    with Repository.open(database) as repository:
        return repository.record(repository.tournament("cup").id, number)


# -- show ---------------------------------------------------------------------------------------------------


def test_show_prints_header_actions_and_last_board(file: Path, record: Record) -> None:
    """The output has seats, seed, opening, outcome, numbered actions and the last board."""
    done = invoke("show", str(file))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == str(file)
    assert any(line.startswith("game     sage-stones, rules 1, ") for line in lines)
    assert f"seed     {record['seed']}" in lines
    assert "opening  2 plies drawn from the seed" in lines
    assert "seat 1   drawn-1 (drawn@1, 99fa6de59312)" in lines
    ranks = " ".join(map(str, record["outcome"]["ranks"]))
    assert f"outcome  ranks {ranks}, last-stone" in lines
    count = len(record["actions"])
    for number, (actor, action) in enumerate(record["actions"], start=1):
        who = "chance" if actor == 0 else f"seat {actor}"
        assert f"{number:5}  {who:8} {action}" in lines
    over = lines[lines.index(f"after {count} actions") + 1]
    winner = 1 + record["outcome"]["ranks"].index(1)
    assert over == f"over: seat {winner} won (last-stone)"
    assert "\x1b" not in done.stdout


def test_show_with_board_prints_the_board_after_every_action(file: Path, record: Record) -> None:
    """With the action in place of the list of actions; the last board is that of the end."""
    done = invoke("show", str(file), "--board").stdout
    count = len(record["actions"])
    parts = done.split("\nafter ")[1:]
    assert len(parts) == count + 1
    actions = [line for line in done.splitlines() if line.startswith("after ")]
    assert actions[0] == "after 0 actions"
    assert record["actions"][0][1] in actions[1]
    assert f"over: {end_text(record['outcome']).removeprefix('over: ')}" in parts[-1]
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
    count = len(record["actions"])
    assert f"has {count} actions: --ply takes a number from 0 to {count}" in done.stderr
    assert "over: " not in begun
    assert "over: seat" in invoke("show", str(file), "--ply", str(count)).stdout


def test_show_counts_one_action_in_the_singular(record: Record, tmp_path: Path) -> None:
    one = {**record, "actions": record["actions"][:1]}
    path = tmp_path / "one.json"
    path.write_text(json.dumps({**one, "digest": digest_of(one)}))
    done = invoke("show", str(path), "--ply", "2")
    assert done.stderr == f"error: {path} has 1 action: --ply takes a number from 0 to 1\n"
    assert "after 1 action\n" in invoke("show", str(path)).stdout


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ([2, 1], "seat 2 won"),
        ([1, 1], "a draw"),
        ([1, 3, 1], "seats 1 and 3 share the first place"),
    ],
)
def test_end_names_who_won(ranks: list[int], words: str) -> None:
    assert end_text({"ranks": ranks, "reason": "points"}) == f"over: {words} (points)"


def test_show_as_json_has_record_measurements_and_log(database: str) -> None:
    """The record is unchanged."""
    data = json.loads(invoke("show", "2", "--db", database, "--json").stdout)
    assert data["record"] == stored(database, 2)
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
    record["actions"][0][1] = "zz"
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    done = invoke("show", str(path))
    assert done.exit_code == 0
    assert "the digest does not match the record" in done.stderr
    assert "no board: action 1 is not legal" in done.stderr


@pytest.mark.parametrize("command", ["show", "rerun", "verify"])
@pytest.mark.parametrize(
    ("words", "says", "code"),
    [
        ("nothing", "'nothing' is not a match: give its number", 2),
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
        ("x", "is no JSON"),
    ):
        path.write_text(text, encoding="utf-8")
        done = invoke(command, str(path))
        assert done.exit_code == 2
        assert says in done.stderr


# -- verify -------------------------------------------------------------------------------------------------


def test_verify_checks_a_file_of_records(tmp_path: Path, record: Record) -> None:
    """A file has one record or many; each failure is printed with its line, and the exit code is 1."""
    path = tmp_path / "records.jsonl"
    path.write_text(
        "".join(json.dumps(play_random(seed).record) + "\n" for seed in (1, 2, 3)), encoding="utf-8"
    )
    done = invoke("verify", str(path))
    assert (done.exit_code, done.stdout) == (0, "3 records hold\n")
    record["actions"][8][1] = "roll-111" if record["actions"][8][1] != "roll-111" else "roll-222"
    record["digest"] = digest_of(record)
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")
    done = invoke("verify", str(path))
    assert done.exit_code == 1
    assert done.stdout.startswith(f"{path} line 4: action 9: ")
    assert done.stderr == "error: 1 of 4 records does not hold\n"


def test_verify_all_passes_a_sound_database(database: str) -> None:
    """Every played match holds; a void match has no record to verify."""
    done = invoke("verify", "--all", "--db", database)
    whole = "cup is whole: 3 rounds, 6 matches\n"
    assert (done.exit_code, done.stdout) == (0, f"5 records hold\n{whole}")


def altered(database: str, sql: str, *values: object) -> None:
    connection = sqlite3.connect(database)
    with connection:
        connection.execute(sql, values)
    connection.close()


def test_verify_all_finds_one_altered_byte(database: str) -> None:
    """An action is changed, with and without a new digest; other bytes do not unpack."""
    record = stored(database, 3)
    action = record["actions"][-1]
    action[1] = action[1][0] + ("a" if action[1][1] != "a" else "b")
    for blob, says in (
        (pack(record), "match 3 of cup: its content has the digest"),
        (pack({**record, "digest": digest_of(record)}), "match 3 of cup: "),
        (b"nonsense", f"match 3 of cup: the database {database} was altered: column record of table match, "),
    ):
        altered(database, 'UPDATE "match" SET record = ? WHERE id = 3', blob)
        done = invoke("verify", "--all", "--db", database)
        assert done.exit_code == 1
        assert done.stdout.startswith(says)
        assert done.stderr.startswith("error: 1 of 5 records does not hold")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("\"match\" SET ranks = CASE ranks WHEN '1,2' THEN '2,1' ELSE '1,2' END WHERE id = 3", "ranks is "),
        ('"match" SET digest = "ab" WHERE id = 3', "digest is ab in the database, but "),
        ('"match" SET void = 1 WHERE id = 3', "void is True in the database, but False"),
        ("seat SET rank = 3 - rank WHERE match_id = 3", "rank of seat 1 is "),
        ("seat SET units = 0 WHERE match_id = 3", " follows from the record"),
        ("seat SET entrant = 2 WHERE match_id = 3", "entrant of seat 1 is 2 in the database"),
        ("seat SET fault = 'crash' WHERE match_id = 3", "fault of seat 1 is crash in the database"),
        ('"match" SET record = NULL WHERE id = 3', "so it has no record"),
        ('"match" SET record = "text" WHERE id = 3', "holds 'text' and not a packed record"),
    ],
)
def test_verify_all_compares_columns_with_records(database: str, change: str, says: str) -> None:
    """Standings and ratings use columns beside the record, so a result changed there is found too."""
    altered(database, f"UPDATE {change}")
    done = invoke("verify", "--all", "--db", database)
    assert done.exit_code == 1
    assert done.stdout.startswith("match 3 of cup: ")
    assert says in done.stdout
    assert done.stderr.startswith("error: 1 of 5 records does not hold")


@pytest.mark.parametrize(
    ("change", "row", "holds"),
    [
        ("tournament SET \"plan\" = '{'", "1 (cup)", "'{' and not JSON"),
        ("tournament SET run = ''", "1 (cup)", "'' and not JSON"),
        ("tournament SET seed = 'x'", "1 (cup)", "'x' and not a number of 64 bits"),
        ("tournament SET seats = 3", "1 (cup)", "3 and not 2 as the column plan has it"),
        ("entrant SET args = 'x'", "1,0 (entrant drawn-1)", "'x' and not JSON"),
        ("entrant SET args = '[1]'", "1,0 (entrant drawn-1)", "'[1]' and not a JSON list of texts"),
        ("entrant SET digest = 5", "1,0 (entrant drawn-1)", "'5' and not a digest"),
        ("schedule SET seating = '0 1' WHERE id = 3", "3 (match 3 of cup)", "'0 1' and not the numbers"),
        ("schedule SET seating = '0,7' WHERE id = 3", "3 (match 3 of cup)", "'0,7' and not the numbers"),
        ("schedule SET order_no = 'x' WHERE id = 3", "3 (match 3 of cup)", "'x' and not an integer"),
        ("\"match\" SET ranks = '' WHERE id = 3", "3 (match 3 of cup)", "'' and not the ranks of 2 seats"),
        ("\"match\" SET ranks = '2,2' WHERE id = 3", "3 (match 3 of cup)", "'2,2' and not the ranks"),
        ("\"match\" SET faults = 'flu,' WHERE id = 3", "3 (match 3 of cup)", "'flu,' and not a fault's kind"),
        ("seat SET entrant = 9 WHERE match_id = 3 AND seat = 2", "3,2 (", "9 and not an integer from 0 to 2"),
        ("seat SET units = 'x' WHERE match_id = 3 AND seat = 2", "3,2 (", "'x' and not an integer"),
        ("seat SET fault = 'flu' WHERE match_id = 3 AND seat = 2", "3,2 (", "'flu' and not one of startup"),
    ],
)
def test_malformed_columns_are_reported_with_their_place(
    database: str, change: str, row: str, holds: str
) -> None:
    """Every command that reads the column names database, table, row and column."""
    altered(database, f"UPDATE {change}")
    table, _, column = change.replace('"', "").split()[:3]
    says = f"the database {database} was altered: column {column} of table {table}, row {row}"
    silent = set()
    for words in (
        ("report", "--out", str(Path(database).parent / "report")),
        ("standings",),
        ("ratings",),
        ("ratings", "--method", "trueskill"),
        ("status",),
        ("export", "--what", "seats"),
        ("show", "3"),
        ("verify", "3"),
        ("verify", "--all"),
        ("db", "check"),
    ):
        done = invoke(*words, "--db", database)
        assert done.exception is None or isinstance(done.exception, SystemExit)
        if words[0] in {"verify", "db"}:
            assert done.exit_code in {1, 3}
            assert says in done.stdout + done.stderr or "seat" in change
        elif done.exit_code:
            assert done.exit_code == 3
            assert done.stderr.startswith(f"error: {says}")
            assert f"holds {holds}" in done.stderr
            assert done.stderr.count("\n") == 1
        else:
            silent.add(words[0])  # it does not read this column
    assert says in invoke("db", "check", "--db", database).stdout
    # Nothing that a report shows is made of the rows of seats.
    assert ("report" in silent) == change.startswith("seat")
    assert (Path(database).parent / "report").exists() == change.startswith("seat")


def test_verify_requires_one_target(file: Path) -> None:
    """Without a match, --all or --manifest, or with two of them, the use is wrong."""
    for words in ([], [str(file), "--all"]):
        done = invoke("verify", *words)
        assert done.exit_code == 2
        assert "give one of MATCH, --all" in done.stderr


def test_verify_checks_a_manifest(tmp_path: Path) -> None:
    """Named seeds give records with the listed digests; another digest is a named failure."""
    spec = random_spec("sage-stones", 2, 9)
    digest = play_named(NamedSeed("x", spec, "")).record["digest"]
    good, bad = NamedSeed("nine", spec, digest), NamedSeed("bad", spec, "0" * 64)
    path = tmp_path / "manifest.jsonl"
    path.write_text(json.dumps(named_seed_json(good)) + "\n", encoding="utf-8")
    done = invoke("verify", "--manifest", str(path))
    assert (done.exit_code, done.stdout) == (0, "1 record holds\n")
    path.write_text(json.dumps(named_seed_json(bad)) + "\n", encoding="utf-8")
    done = invoke("verify", "--manifest", str(path))
    assert done.exit_code == 1
    assert done.stdout == (
        f"bad (sage-stones): its record has the digest {digest}, not {'0' * 64} as the manifest says\n"
    )


# -- rerun --------------------------------------------------------------------------------------------------


@pytest.fixture
def rerunnable(tmp_path: Path) -> Path:
    """A record of two shell bots from a store, with the actions that they choose."""
    program = tmp_path / "firstlegal"
    program.write_text(FIRST, encoding="ascii")
    program.chmod(0o755)
    bot = BotStore(tmp_path / "bots").add(program)
    entrants = tuple(Entrant(name, "firstlegal", "0", (), bot.digest) for name in ("a", "b"))
    spec = MatchSpec("sage-stones", (), entrants, 7, Limits(move_ms=60_000))

    from tourney.bots.sandbox.plain import PlainSandbox
    from tourney.match.match_runner import MatchRunner, StoreLauncher

    with MatchRunner(StoreLauncher(BotStore(tmp_path / "bots"), PlainSandbox("off"))) as room:
        record = room.play(spec).record
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def test_rerun_gives_the_same_record(rerunnable: Path) -> None:
    """The store finds the bots by digest, and the record's digest is the same."""
    digest = json.loads(rerunnable.read_text(encoding="utf-8"))["digest"]
    done = invoke("rerun", str(rerunnable), "--bots", str(rerunnable.parent / "bots"), "--sandbox", "off")
    assert (done.exit_code, done.stdout) == (0, f"{rerunnable} came out the same: {digest}\n")


def test_rerun_names_the_first_action_that_differs(rerunnable: Path) -> None:
    """In the record, seat 1 places a stone on another square than its bot."""
    record = json.loads(rerunnable.read_text(encoding="utf-8"))
    place = next(k for k, (actor, _) in enumerate(record["actions"]) if actor == 1)
    was = record["actions"][place][1]
    record["actions"][place][1] = was[0] + "e"
    record["outcome"]["faults"] = [[2, "timeout", place + 1]]
    record["digest"] = digest_of(record)
    rerunnable.write_text(json.dumps(record), encoding="utf-8")
    done = invoke("rerun", str(rerunnable), "--bots", str(rerunnable.parent / "bots"), "--sandbox", "off")
    assert done.exit_code == 1
    first = done.stdout.splitlines()[0]
    assert first == f"{rerunnable}: action {place + 1}: it was seat 1 {was[0]}e, now it is seat 1 {was}"
    assert "is not guaranteed to reproduce: timeout" in done.stderr


def test_rerun_names_missing_bots(rerunnable: Path, tmp_path: Path) -> None:
    """The message has the store and the bot's digest."""
    done = invoke("rerun", str(rerunnable), "--bots", str(tmp_path / "other"), "--sandbox", "off")
    assert done.exit_code == 2
    assert "has no bot with the digest" in done.stderr


def rerun(*words: str, bots: Path) -> tuple[int, str, str]:
    done = invoke("rerun", *words, "--bots", str(bots), "--sandbox", "off", "--workers", "2")
    return done.exit_code, done.stdout, done.stderr


def test_rerun_of_many_sums_up(rerunnable: Path) -> None:
    """A record consistent in itself, which the bots would not play, is found among honest ones."""
    bots = rerunnable.parent / "bots"
    record = json.loads(rerunnable.read_text(encoding="utf-8"))
    forged = {**record, "seed": str(int(record["seed"]) + 1)}
    forged["digest"] = digest_of(forged)
    alien = {**record, "seats": [{**record["seats"][0], "digest": "0" * 64}, record["seats"][1]]}
    alien["digest"] = digest_of(alien)
    for lines, code, sums in (
        ([record, record], 0, "2 matches played again: 2 the same"),
        ([record, forged], 1, "2 matches played again: 1 the same, 1 differently"),
        ([record, alien], 2, "1 match played again: 1 the same, 1 not played"),
    ):
        rerunnable.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        done = rerun(str(rerunnable), "--all", bots=bots)
        assert (done[0], done[1].splitlines()[-1]) == (code, sums)
        found = done[1].splitlines()[:-1]
        assert all(line.startswith(f"{rerunnable} line 2: ") for line in found)
    assert "has no bot with the digest 0000" in found[0]


def test_rerun_of_a_sample_says_its_seed(rerunnable: Path) -> None:
    bots = rerunnable.parent / "bots"
    line = json.dumps(json.loads(rerunnable.read_text(encoding="utf-8"))) + "\n"
    rerunnable.write_text(line * 5, encoding="utf-8")
    code, out, err = rerun(str(rerunnable), "--sample", "2", "--seed", "9", bots=bots)
    assert (code, out) == (0, "2 matches played again: 2 the same\n")
    assert "a sample of 2 of 5 matches, drawn from the seed 9\n" in err
    for words in (["--all", "--sample", "2"], ["--all", "--seed", "2"], []):
        assert rerun(*words, bots=bots)[0] == 2


def test_rerun_takes_bots_that_ship(tmp_path: Path) -> None:
    """A golden record is played again by a store that holds no bot."""
    golden = Path(__file__).parents[2] / "seeds" / "golden" / "sages-tafl.json"
    code, out, _ = rerun(str(golden), bots=tmp_path / "bots")
    digest = json.loads(golden.read_text(encoding="utf-8"))["digest"]
    assert (code, out) == (0, f"{golden} came out the same: {digest}\n")


def test_shipped_record_reruns_without_adding_its_bots(tmp_path: Path) -> None:
    golden = ROOT / "seeds" / "golden" / "seven-sages.json"
    words = ("rerun", str(golden), "--sandbox", "off", "--bots", str(tmp_path / "bots"))
    done = invoke(*words)
    assert (done.exit_code, "came out the same" in done.stdout) == (0, True)
    changed = json.loads(golden.read_text())
    changed["seats"][0]["digest"] = "0" * 64
    (tmp_path / "other.json").write_text(json.dumps(changed))
    done = invoke("rerun", str(tmp_path / "other.json"), *words[2:])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
