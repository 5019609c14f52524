"""``tourney bots``: create, check, add, list, show and remove bots."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import Result

from tests.attacks.modules import MODULES, bot
from tests.command import invoke
from tests.folders import write_bot, write_shell_bot
from tourney.bots.catalogue.shipped import shipped_bots
from tourney.bots.catalogue.store import BotStore
from tourney.match.spec import Entrant
from tourney.store.repository import Repository
from tourney.store.values import Plan, RunSettings, StoredEntrant


@pytest.fixture(autouse=True)
def isolated_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("TOURNEY_DB", "TOURNEY_BOTS"):
        monkeypatch.delenv(name, raising=False)


def bots(*words: str) -> Result:
    return invoke("bots", *words)


def done(*words: str) -> str:
    """Run a command that must succeed, and return its standard output."""
    result = bots(*words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refused(*words: str, code: int = 2) -> str:
    """Run a command that must fail, and return its error line."""
    result = bots(*words)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    return line


def listed() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(done("list", "--format", "json"))["bots"]
    return [row for row in rows if row["source"] != "ships"]


def test_new_check_add_list_and_show(tmp_path: Path) -> None:
    """The workflow of a bot author, as the help describes it."""
    made = bots("new", "mybot")
    assert made.stdout.splitlines() == ["mybot/bot.py", "mybot/bot.toml"]
    assert "tourney bots check ./mybot" in made.stderr
    checked = done("check", "./mybot", "--move-ms", "60000", "--startup-ms", "60000")
    assert checked.splitlines()[-1] == "mybot@0.1 passed 4 trials"
    assert listed() == [], "looking at a bot keeps nothing"
    label, digest = done("add", "mybot").split()
    assert label == "mybot@0.1"
    (tmp_path / "mybot").rename(tmp_path / "moved")
    (row,) = listed()
    assert row == {
        "name": "mybot",
        "version": "0.1",
        "title": None,
        "author": None,
        "games": ["sages-tafl"],
        "source": "added",
        "digest": digest,
    }
    shown = done("show", "mybot")
    assert digest in shown
    assert "bot.py" in shown
    assert str(tmp_path / "tourney-bots" / "entries" / digest / "files") in shown


def test_list_has_shipped_bots_in_every_format() -> None:
    table = done("list")
    names = ["alphabeta", "greedy", "heron", "mason", "mcts", "pebble", "random", "skipper"]
    assert [line.split()[0] for line in table.splitlines()[2:]] == names
    rows = list(csv.DictReader(io.StringIO(done("list", "--format", "csv"))))
    assert (rows[0]["name"], rows[0]["source"], len(rows[0]["digest"])) == ("alphabeta", "ships", 64)
    assert rows[2]["games"] == "sage-stones"
    assert done("list", "--format", "json", "--quiet").startswith("{")


def test_shipped_bot_in_the_store_is_listed_once() -> None:
    done("add", str(shipped_bots()["random"]))
    rows = json.loads(done("list", "--format", "json"))["bots"]
    assert [row["source"] for row in rows if row["name"] == "random"] == ["ships"]


def test_bot_with_the_name_of_a_shipped_one_needs_insistence(tmp_path: Path) -> None:
    """The list and `bots show` tell both from the shipped one."""
    write_bot(tmp_path / "sub", "random", version='"9"', title='"the random that ships"')
    assert "random: it is called random, as a bot that ships with Tourney" in refused("add", "sub/random")
    assert listed() == []
    assert json.loads(done("show", "sub/random", "--format", "json"))["source"] == "replaces shipped"
    assert json.loads(done("show", "random", "--format", "json"))["source"] == "ships"
    done("add", "--replace-shipped", "sub/random")
    sources = [(row["name"], row["version"], row["source"]) for row in listed()]
    assert sources == [("random", "9", "replaces shipped")]
    assert json.loads(done("show", "random", "--format", "json"))["version"] == "9"


def test_new_bot_gets_no_name_of_a_shipped_one(tmp_path: Path) -> None:
    assert "greedy is the name of a bot that ships" in refused("new", "greedy")
    assert list(tmp_path.iterdir()) == []


def test_show_takes_paths_names_and_digests(tmp_path: Path) -> None:
    """Bots shown by path and shipped bots are not added to the store."""
    write_bot(tmp_path, games='["sages-tafl"]', build='["make"]', title='"My Bot"')
    row = json.loads(done("show", "./mybot", "--format", "json"))
    assert (row["title"], row["build"], row["built"], row["folder"]) == (
        "My Bot",
        ["make"],
        "not yet",
        "mybot",
    )
    assert "from      " in done("show", "random")
    assert not (tmp_path / "tourney-bots").exists()
    digest = done("add", "mybot").split()[1]
    assert digest == row["digest"]
    assert digest in done("show", digest[:6])


def test_control_characters_of_bots_are_escaped(tmp_path: Path) -> None:
    """File names are printable, but the manifest of a damaged entry can contain anything."""
    digest = done("add", str(write_bot(tmp_path))).split()[1]
    entry = tmp_path / "tourney-bots" / "entries" / digest / "files"
    for path in (entry, entry / "bot.toml"):
        path.chmod(0o755)
    (entry / "bot.toml").write_text('na\x1b[31mme = "x"\n')
    result = bots("list")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "\x1b" not in result.output


def test_removed_bot_can_be_restored(tmp_path: Path) -> None:
    digest = done("add", str(write_bot(tmp_path / "src"))).split()[1]
    result = bots("remove", "mybot")
    assert result.exit_code == 0
    assert f"tourney bots remove --undo {digest[:12]}" in result.stderr
    assert listed() == []
    assert refused("show", "mybot").startswith("error: there is no bot 'mybot'")
    assert done("remove", "--undo", digest[:12]) == f"mybot@1.0 {digest}\n"
    assert [row["digest"] for row in listed()] == [digest]


def test_removed_bot_leaves_no_builds(tmp_path: Path) -> None:
    digest = done("add", str(write_bot(tmp_path / "src"))).split()[1]
    root = Path("tourney-bots")
    kept = [root / kind / host / digest for kind in ("builds", "modules") for host in ("here", "there")]
    other = root / "modules" / "here" / ("0" * 64)
    for place in (*kept, other):
        (place / "files").mkdir(parents=True)
        (place / "files" / "code").write_bytes(b"code")
        place.chmod(0o555)
    assert bots("remove", "mybot").exit_code == 0
    assert [place for place in kept if place.exists()] == []
    assert (other / "files" / "code").exists()


def test_bot_in_a_tournament_is_removed_only_by_force(tmp_path: Path) -> None:
    digest = done("add", str(write_bot(tmp_path / "src"))).split()[1]
    plan = Plan("cup", "sages-tafl", "1", (), "round-robin", seats=2, games_per_pairing=2)
    entrants = [
        StoredEntrant(k, Entrant(f"e{k}", "mybot", "1.0", (), digest if k else "0" * 64)) for k in (0, 1)
    ]
    with Repository.open(str(tmp_path / "cup.db"), create=True) as repository:
        repository.begin(
            plan,
            seed=7,
            seed_chosen=True,
            run=RunSettings(),
            entrants=entrants,
            created="2026-01-01T00:00:00+00:00",
        )
    assert bots("remove", "mybot", "--db", str(tmp_path / "other.db")).exit_code == 0
    done("remove", "--undo", digest)
    said = refused("remove", "mybot", "--db", str(tmp_path / "cup.db"))
    assert "tournament cup uses this bot (entrant e1)" in said
    assert [row["digest"] for row in listed()] == [digest]
    done("remove", "mybot", "--db", str(tmp_path / "cup.db"), "--force")
    assert listed() == []


def test_damaged_entry_can_be_removed(tmp_path: Path) -> None:
    digest = done("add", str(write_bot(tmp_path / "src"))).split()[1]
    files = tmp_path / "tourney-bots" / "entries" / digest / "files"
    (files / "bot.py").chmod(0o644)
    (files / "bot.py").write_text("changed")
    assert "is damaged: the content of bot.py has changed" in refused("show", "mybot")
    done("remove", "mybot")
    assert listed() == []


def test_failed_check_explains_the_failure(tmp_path: Path) -> None:
    """Details go to standard output, the verdict to standard error; exit code 1."""
    cases = "tourney) echo bot;; game) echo ready;; go) echo oops >&2; echo move z9;;"
    write_shell_bot(tmp_path, "bad", cases)
    result = bots("check", "./bad", "--move-ms", "60000", "--startup-ms", "60000")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("FAIL sages-tafl at seat 1 of 2: illegal: ")
    assert (
        lines[1]
        .strip()
        .startswith("compare its rules with those of `tourney rules sages-tafl`; the legal actions were: a2-")
    )
    assert "     the last lines between referee and bot:" in lines
    assert "         < move z9" in lines
    assert lines[-2:] == ["     its standard error:", "         oops"]
    assert result.stderr.splitlines()[-1] == "error: bad@1.0 failed 1 of 1 trials"


def test_failed_build_shows_compiler_output(tmp_path: Path) -> None:
    done("new", "mybot", "--language", "c")
    (tmp_path / "mybot" / "bot.c").write_text("int main(void) { return nonsense; }\n")
    result = bots("check", "./mybot")
    assert result.exit_code == 2
    first, *lines = result.stderr.splitlines()
    assert first.startswith("error: the build of mybot@0.1 (make) failed: it exited with code")
    assert lines[0] == "    the last lines of the build:"
    assert any("bot.c:1" in line and "nonsense" in line for line in lines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "unknown"), "there is no bot unknown: No such file or directory"),
        (("add", "plain.txt"), "plain.txt: it is not executable; run chmod +x"),
        (("add", "empty"), "empty: there is no bot.toml"),
        (("add", "evil.zip"), "evil.zip: it is no zip file"),
        (("show", "unknown"), "there is no bot 'unknown'"),
        (("check", "unknown"), "there is no bot 'unknown'"),
        (("check", "greedy", "--game", "draughts"), "greedy@1.0 says it plays cyvasse, element"),
        (("check", "prog"), "prog@0 does not say which games it plays; name one: --game GAME"),
        (("check", "prog", "--game", "chequers"), "there is no game 'chequers'"),
        (("remove", "unknown"), "there is no bot 'unknown' in the store"),
        (("remove", "--undo", "123456"), "no bot with the digest 123456 was removed"),
        (("new", "Bad Name"), "'Bad Name' is no name for a bot"),
        (("new", "empty"), "empty exists already"),
        (("new", "x", "--game", "chequers"), "there is no game 'chequers'"),
        (("new", "x", "--language", "cobol"), "'cobol' is not one of"),
        (
            ("new", "x", "--language", "java", "--template", "search"),
            "no search template in java for",
        ),
        (("add",), "Missing argument 'PATH...'"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain.txt").write_text("x")
    (tmp_path / "evil.zip").write_text("x")
    (tmp_path / "prog").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "prog").chmod(0o755)
    assert said in refused(*words)
    assert BotStore(tmp_path / "tourney-bots").entries() == ()


def test_unwritable_store_is_exit_code_3(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = write_bot(tmp_path)
    said = refused("add", str(folder), "--bots", str(tmp_path / "file" / "store"), code=3)
    assert "cannot be written" in said


def test_store_default_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOURNEY_BOTS", str(tmp_path / "elsewhere"))
    done("add", str(write_bot(tmp_path)))
    assert len(BotStore(tmp_path / "elsewhere").entries()) == 1


def test_new_names_the_next_commands(tmp_path: Path) -> None:
    result = bots("new", "sub1", "--game", "element", "--template", "search")
    assert result.stdout.split() == ["sub1/bot.py", "sub1/bot.toml"]
    assert result.stderr.splitlines() == [
        "Next:",
        "  tourney bots check ./sub1",
        "  tourney compare ./sub1 greedy --game element",
        "  tourney ladder ./sub1 --game element",
    ]


def test_new_names_only_commands_that_work_for_the_game(tmp_path: Path) -> None:
    """`random` and `greedy` say that they play five games, so nothing compares a chess bot with them."""
    result = bots("new", "sub1", "--game", "chess")
    assert result.stderr.splitlines() == ["Next:", "  tourney bots check ./sub1"]


def test_new_says_which_compiler_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tourney.bots.catalogue.command.search_path", lambda: str(tmp_path))
    result = bots("new", "mybot", "--language", "rust")
    assert result.exit_code == 0
    assert "note: mybot: there is no program rustc on PATH" in result.stderr


def write_module(folder: Path, text: str) -> None:
    """Write a bot whose program is a module, given as text."""
    wasmtime = pytest.importorskip("wasmtime")
    written = write_bot(folder, "module", {}, command='["bot.wasm"]', games='["sage-stones"]')
    (written / "bot.wasm").write_bytes(wasmtime.wat2wasm(text))


def test_check_of_a_module_says_what_its_moves_took(tmp_path: Path) -> None:
    write_module(tmp_path, bot())
    said = done("check", str(tmp_path / "module"), "--sandbox", "off").splitlines()
    (line,) = (line for line in said if "by fuel" in line)
    found = re.fullmatch(
        r"ok   sage-stones by fuel, against itself: (\d+) moves, about ([\d,]+) fuel \(([\d.]+) ms\) each"
        r" in the median and about ([\d,]+) fuel .* at most, at ([\d,]+) fuel a millisecond; the same again",
        line,
    )
    assert found is not None, line
    moves, middle, ms, most, per_ms = (float(text.replace(",", "")) for text in found.groups())
    assert moves > 10
    assert 0 < middle <= most
    assert middle == pytest.approx(ms * per_ms, rel=0.01)


def test_check_names_imports_that_do_not_exist(tmp_path: Path) -> None:
    (module,) = (module for module in MODULES if module.name == "missing-import")
    write_module(tmp_path, module.text)
    said = refused("check", str(tmp_path / "module"), "--sandbox", "off")
    assert "it imports env.gettimeofday, which bots do not have" in said
    assert len(said.splitlines()) == 1
