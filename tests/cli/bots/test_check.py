"""``tourney bots check``: what a failed trial explains."""

import csv
from pathlib import Path

import pytest

from tests.cli.bots.commands import bots, done
from tests.support.folders import write_bot, write_shell_bot
from tests.support.memory import set_memory
from tests.support.programs import needs_compiler
from tourney.bots.catalogue.store import DIFFERED, BotStore
from tourney.errors import BotError


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


@needs_compiler
def test_failed_build_shows_compiler_output(tmp_path: Path) -> None:
    done("new", "mybot", "--language", "c")
    (tmp_path / "mybot" / "bot.c").write_text("int main(void) { return nonsense; }\n")
    result = bots("check", "./mybot")
    assert result.exit_code == 2
    first, *lines = result.stderr.splitlines()
    assert first.startswith("error: the build of mybot@0.1 (make) failed: it exited with code")
    assert lines[0] == "    the last lines of the build:"
    assert any("bot.c:1" in line and "nonsense" in line for line in lines)


def test_bot_that_varies_is_marked_for_matches_to_come(tmp_path: Path) -> None:
    program = """
import os
from tourney.bot import run

run(lambda legal, turn: legal[int.from_bytes(os.urandom(8)) % len(legal)], sees="legal")
"""
    folder = write_bot(tmp_path, "wild", {"bot.py": program}, games='["sages-tafl"]')
    store = BotStore(tmp_path / "store")
    said = done("check", str(folder), "--sandbox", "off", "--bots", str(store.root))
    assert "note the same match again: action " in said
    assert "marks those to come" in said
    assert store.doubts(store.add(folder).digest) == (DIFFERED,)


@pytest.mark.usefixtures("answers_no_greeting")
def test_bot_that_may_use_more_memory_than_there_is_is_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another limit may fit: the opponent, which ships, uses little."""
    set_memory(monkeypatch, 1000)
    write_shell_bot(tmp_path, "good", "tourney) echo no;;")
    result = bots("check", "./good")
    assert result.exit_code == 3
    assert "a match of 1 bot with memory-mb = 1024 does not fit into memory" in result.stderr
    assert bots("check", "./good", "--memory-mb", "64").exit_code == 1


def test_several_bots_are_checked_and_failures_listed(tmp_path: Path) -> None:
    write_shell_bot(tmp_path / "subs", "bad", "tourney) echo bot;; game) echo ready;; go) echo move z9;;")
    write_shell_bot(tmp_path / "subs", "none", "x) ;;", games='["draughts"]')
    (tmp_path / "subs" / "z.zip").write_text("x")
    result = bots("check", "subs", "--move-ms", "60000", "--startup-ms", "60000")
    assert result.exit_code == 1
    first, second, *_ = result.stdout.splitlines()
    assert (first, second[:22]) == ("subs/bad:", "FAIL sages-tafl at sea")
    assert "error: 3 of 3 bots refused or failed:" in result.stderr
    reasons = dict(line.split(maxsplit=1) for line in result.stderr.splitlines()[-3:])
    assert reasons["subs/bad"] == "bad@1.0 failed 1 of 1 trials"
    assert reasons["subs/none"].startswith("there is no game 'draughts'")
    assert reasons["subs/z.zip"].startswith("it is not a zip file")
    assert "take one bot" in bots("check", "subs", "--format", "json").stderr


def test_each_archive_gets_a_receipt(tmp_path: Path) -> None:
    write_shell_bot(tmp_path / "subs", "bad", "tourney) echo bot;; game) echo ready;; go) echo move z9;;")
    write_shell_bot(tmp_path / "late", "bad", "x) ;;", games='["draughts"]')
    (tmp_path / "subs" / "J\u00f6rg (2).zip").write_text("x")
    words = ("--move-ms", "60000", "--startup-ms", "60000", "--out", "receipts")
    result = bots("check", "subs", "late/bad", *words)
    assert (result.exit_code, "3 receipts written to receipts" in result.stderr) == (1, True)
    receipts = {path.name: path.read_text() for path in (tmp_path / "receipts").iterdir()}
    assert sorted(receipts) == ["2-bad.txt", "J\u00f6rg (2).zip.txt", "bad.txt", "receipts.csv"]
    first = receipts["bad.txt"]
    assert first.startswith("subs/bad\nresult: refused\n\nbot: bad@1.0, digest ")
    assert "FAIL sages-tafl at seat 1 of 2: illegal: " in first
    assert "refused: bad@1.0 failed 1 of 1 trials" in first
    assert "refused: there is no game 'draughts'" in receipts["2-bad.txt"]
    rows = list(csv.DictReader(receipts["receipts.csv"].splitlines()))
    assert [(row["bot"], row["result"]) for row in rows] == [
        ("subs/J\u00f6rg (2).zip", "refused"),
        ("subs/bad", "refused"),
        ("late/bad", "refused"),
    ]


def test_folder_of_no_bots_is_explained_as_a_path(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = bots("check", ".").stderr
    assert said == "error: .: there is no bot.toml; `tourney bots new NAME` writes a bot with one\n"


def test_bot_of_a_checked_name_is_noted(tmp_path: Path) -> None:
    """Both may pass, but no tournament takes both."""
    for folder in ("a", "b"):
        write_shell_bot(tmp_path / folder, "bad", "tourney) echo bot;; game) echo ready;; go) exit 3;;")
    result = bots("check", "a/bad", "b/bad", "--out", "receipts")
    note = "it is called bad, as a/bad is: a tournament takes one bot of a name from its list of bots"
    assert f"b/bad: {note}\n" in result.stderr
    assert f"note: {note}\n" in (tmp_path / "receipts" / "2-bad.txt").read_text()
    assert "note: " not in (tmp_path / "receipts" / "bad.txt").read_text()


def test_running_trial_is_shown_until_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("tourney.cli.output.Output.transient_line", lambda _: shown.append)
    write_shell_bot(tmp_path, "bad", "tourney) echo bot;; game) echo ready;; go) echo move z9;;")
    words = ("check", "./bad", "--move-ms", "60000", "--startup-ms", "60000")
    assert bots(*words).exit_code == 1
    assert shown == ["sages-tafl at seat 1 of 2 ...", "", ""]
    shown.clear()
    assert bots(*words, "--watch").exit_code == 1
    assert shown == []


def test_receipts_of_a_stopped_check_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.zip", "b.zip", "c.zip"):
        (tmp_path / name).write_text("x")

    def stop_at_the_last(bot: str, *_: object) -> None:
        if bot == "c.zip":
            raise KeyboardInterrupt
        raise BotError("it is not a bot", bot)

    monkeypatch.setattr("tourney.cli.bots.check._check", stop_at_the_last)
    assert bots("check", "a.zip", "b.zip", "c.zip", "--out", "receipts").exit_code != 0
    rows = list(csv.DictReader((tmp_path / "receipts/receipts.csv").read_text().splitlines()))
    assert [row["bot"] for row in rows] == ["a.zip", "b.zip"]
    assert sorted(path.name for path in (tmp_path / "receipts").iterdir()) == [
        "a.zip.txt",
        "b.zip.txt",
        "receipts.csv",
    ]


@pytest.mark.usefixtures("answers_no_greeting")
def test_bot_that_writes_into_its_folder_gets_advice(tmp_path: Path) -> None:
    cases = "tourney) echo bot;; game) echo 'log: Read-only file system' >&2; exit 1;;"
    write_shell_bot(tmp_path, "writer", cases)
    result = bots("check", "./writer", "--move-ms", "60000", "--startup-ms", "60000")
    assert "its folder is read-only while it plays: write below /tmp" in result.stdout


def test_fix_converts_scripts_before_the_trials(tmp_path: Path) -> None:
    cases = "tourney) echo bot;; game) echo ready;; go) echo resign;;"
    folder = write_shell_bot(tmp_path, "dos", cases)
    script = folder / "bot.sh"
    script.write_bytes(b"#!/bin/sh\r\n" + script.read_bytes().replace(b"\n", b"\r\n"))
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace('["sh", "bot.sh"]', '["./bot.sh"]'))
    assert "line 1 ends in CR" in bots("check", "./dos").stderr
    result = bots("check", "./dos", "--fix", "--sandbox", "off")
    assert f"./dos: {script.name}: " in result.stderr
    assert "CR LF became LF in " in result.stderr
    assert b"\r" not in script.read_bytes()
    assert "--fix changes files: give the path of a bot" in bots("check", "random", "--fix").stderr
