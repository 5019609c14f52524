"""Matches of real processes without containment: every fault, and no process left behind.

The good bot answers at once, and time limits are long. A bot that should run out of time has a limit of a
few milliseconds.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.gates import FIRST
from tests.support.processes import leftovers
from tests.support.programs import needs_compiler
from tests.support.tables import TOE, make_spec, notes, outcome, toy
from tourney.bots.catalogue.command import BotCommand
from tourney.bots.channel.interface import Channel
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.check.named_seeds import RandomChannel
from tourney.check.record import verify
from tourney.match.result import PlayedMatch
from tourney.match.runner import MatchRunner
from tourney.match.spec import Entrant, Limits

START = r"read x; echo bot; read x; echo ready; "
TURN = START + "while read -r word rest; do [ $word = go ] && break; done; "


@pytest.fixture
def play(tmp_path: Path) -> Iterator["Play"]:
    """Play toe between shell scripts (or other files) in the test's own room."""
    table = Play(tmp_path)
    yield table
    assert leftovers(tmp_path) == []


class Play:
    """Writes bots into a folder and plays them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sandbox = PlainSandbox("off")

    def bot(self, name: str, script: str) -> str:
        """Write a shell script named after its bot."""
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        path.chmod(0o755)
        return name

    def launch(self, entrant: Entrant, limits: Limits) -> Channel:
        """Start an entrant's file; ``drawn`` is a bot in this process without time use."""
        if entrant.bot == "drawn":
            return RandomChannel()
        command = BotCommand((f"./{entrant.bot}",), self.folder, {"PATH": "/usr/bin:/bin"})
        return self.sandbox.spawn(command, memory_mb=limits.memory_mb)

    def __call__(
        self,
        *bots: str,
        limits: Limits = Limits(move_ms=60_000),  # noqa: B008 - a frozen value
        reuse: bool = False,
    ) -> PlayedMatch:
        spec = make_spec(limits=limits)
        entrants = tuple(Entrant(bot, bot, "1", (), "0" * 64) for bot in bots)
        spec = type(spec)(spec.game, spec.options, entrants, spec.seed, limits, spec.opening)
        with MatchRunner(self.launch, sandbox=self.sandbox, find=toy, reuse=reuse) as room:
            return room.play(spec)


def test_two_good_bots_play_to_the_end(play: Play) -> None:
    """The match has no fault, and no process is left."""
    good = play.bot("good", FIRST)
    played = play(good, good)
    assert outcome(played) == {"ranks": [1, 2], "reason": "row", "faults": []}
    assert verify(played.record, TOE) == []
    assert played.measured.sandbox is not None
    assert played.measured.sandbox.level == "off"
    assert played.measured.reproducible is True
    assert all(seat.cpu_ms is not None for seat in played.measured.seats)
    assert all(time is not None and time > 0 for time in played.measured.times_ms)


HANG = Limits(move_ms=5, margin_ms=5)


@pytest.mark.parametrize(
    ("script", "kind", "limits", "why"),
    [
        (TURN + "exec sleep 600", "timeout", HANG, "no answer within 10 ms"),
        (TURN + "echo info; exec sleep 600", "timeout", HANG, "no answer"),
        (TURN + "exit 1", "crash", None, "exited with code 1"),
        (TURN + "kill -ABRT $$", "crash", None, "killed by SIGABRT"),
        (TURN + "exec 1>&-; exec sleep 600", "crash", None, "closed its output"),
        (TURN + "sleep 600 & exit 0", "crash", None, "exited with code 0"),
        (TURN + "echo nonsense; read x", "protocol", None, "'nonsense'"),
        (TURN + "printf 'move a1'; exit 0", "crash", None, "exited with code 0"),
        (TURN + r"printf '\377\n'; read x", "protocol", None, "not UTF-8"),
        (TURN + "head -c 4096 /dev/zero | tr '\\0' x; echo; read x", "protocol", None, "longer than 4,096"),
        (TURN + "head -c 70000 /dev/zero | tr '\\0' '\\n'; read x", "overflow", None, "1,000 lines"),
        (TURN + "yes info | tr '\\n' ' ' | fold -w 1000; read x", "overflow", None, "65,536 bytes"),
        (
            TURN + "i=0; while [ $i -lt 1001 ]; do echo info; i=$((i+1)); done; read x",
            "overflow",
            None,
            "lines",
        ),
        (TURN + "echo move zz; read x", "illegal", None, "'zz'"),
        (TURN + "echo resign; read x", "resign", None, "resigned"),
        ("read x; exit 3", "startup", None, "exited with code 3"),
        ("exec sleep 600", "startup", Limits(move_ms=5, startup_ms=5), "no answer within 5 ms"),
        ("echo hello; read x; read x", "startup", None, "'hello'"),
        ("read x; echo bot; exec cat", "startup", None, "'game toe"),
    ],
)
def test_fault_of_a_real_bot(play: Play, script: str, kind: str, limits: Limits | None, why: str) -> None:
    """Each bot loses by the expected fault, the log has the reason, and no process is left."""
    played = play(play.bot("bad", script), "drawn", limits=limits or Limits(move_ms=60_000))
    assert outcome(played)["ranks"] == [2, 1]
    if kind == "resign":
        assert outcome(played)["resigned"] == [[1, 0]]
    else:
        assert outcome(played)["faults"] == [[1, kind, 0]]
    assert any(why in note for note in notes(played)), notes(played)
    assert verify(played.record, TOE) == []


def test_lines_with_carriage_returns_are_fine(play: Play) -> None:
    """The bot ends its lines with CR LF and writes empty lines between them."""
    windows = FIRST.replace('echo "move $action"', r'printf "\r\n\nmove $action\r\n"').replace(
        "echo ready", r'printf "ready\r\n"'
    )
    played = play(play.bot("windows", windows), play.bot("good", FIRST))
    assert outcome(played)["faults"] == []


def test_second_answer_is_a_fault_at_the_next_turn(play: Play) -> None:
    """The other bot answers only after the second line must have arrived."""
    twice = play.bot(
        "twice", FIRST.replace('echo "move $action"', 'echo "move $action"; echo "move c3"; echo >>sent')
    )
    slow = play.bot("slow", FIRST.replace("go)", "go) until [ -s sent ]; do :; done;"))
    played = play(twice, slow)
    assert outcome(played) == {"ranks": [2, 1], "reason": "fault", "faults": [[1, "protocol", 2]]}
    assert any("spoke out of turn: 'move c3'" in note for note in notes(played))


def test_bot_that_answers_before_its_request_is_at_fault(play: Play) -> None:
    """It answers at the start of the game, in the other bot's turn."""
    early = play.bot("early", START + "echo move b1; echo >>sent; while read x; do :; done")
    slow = play.bot("slow", FIRST.replace("go)", "go) until [ -s sent ]; do :; done;"))
    played = play(slow, early)
    assert outcome(played)["faults"] == [[2, "protocol", 1]]


def test_bot_that_never_reads_runs_out_of_time(play: Play) -> None:
    """It writes a whole game's answers at once and never reads a request."""
    deaf = play.bot("deaf", "echo bot; echo ready; exec sleep 600")
    played = play(deaf, "drawn", limits=Limits(move_ms=5, margin_ms=5, startup_ms=60_000))
    assert outcome(played)["faults"][0][0] == 1
    assert outcome(played)["faults"][0][1] in {"startup", "timeout"}


def test_program_that_cannot_run_fails_at_start_up(play: Play) -> None:
    """A missing file and a file that is not a program are the bot's fault; the log has the reason."""
    (play.folder / "text").write_text("no program", encoding="ascii")
    good = play.bot("good", FIRST)
    for bad, why in (("missing", "No such file"), ("text", "Permission denied")):
        played = play(good, bad)
        assert outcome(played)["faults"] == [[2, "startup", 0]]
        assert any(why in note for note in notes(played))


def test_log_has_the_traceback_of_a_crash(play: Play) -> None:
    """The log keeps standard error written before the crash."""
    script = f'exec "{sys.executable}" -S -E -c "raise SystemExit(chr(111) * 3)"'
    played = play(play.bot("good", FIRST), play.bot("python", "read x; " + script))
    assert [(line.seat, line.text) for line in played.log if line.kind == "stderr"] == [(2, "ooo")]


def test_reused_bots_start_once_and_play_many_games(play: Play) -> None:
    """One process plays several matches, which are marked as not reproducible."""
    counting = FIRST.replace("tourney) ", "tourney) echo x >>greeted; ")
    bots = [play.bot("one", counting), play.bot("two", counting)]
    spec = make_spec(limits=Limits(move_ms=60_000))
    entrants = tuple(Entrant(bot, bot, "1", (), digit * 64) for bot, digit in zip(bots, "12", strict=True))
    with MatchRunner(play.launch, find=toy, reuse=True) as room:
        for _ in range(3):
            played = room.play(type(spec)(spec.game, (), entrants, spec.seed, spec.limits))
            assert outcome(played)["reason"] == "row"
            assert played.measured.why_not == ("reuse",)
    assert (play.folder / "greeted").read_text("ascii") == "x\n" * 2


def test_reused_bot_starts_again_after_a_fault(play: Play) -> None:
    """A fault ends the process; the next match starts a new one."""
    once = play.bot("once", FIRST.replace("go)", "go) [ -e crashed ] || { echo >crashed; exit 1; };"))
    good = play.bot("good", FIRST)
    spec = make_spec(limits=Limits(move_ms=60_000))
    entrants = (Entrant(once, once, "1", (), "1" * 64), Entrant(good, good, "1", (), "2" * 64))
    with MatchRunner(play.launch, find=toy, reuse=True) as room:
        spec = type(spec)(spec.game, (), entrants, spec.seed, spec.limits)
        assert outcome(room.play(spec))["faults"] == [[1, "crash", 0]]
        assert outcome(room.play(spec))["faults"] == []


@needs_compiler
def test_bot_in_c_plays(play: Play) -> None:
    """The bot is a compiled program that flushes each line."""
    (play.folder / "bot.c").write_text(
        r"""
        #include <stdio.h>
        #include <string.h>
        int main(void) {
            static char line[1 << 20], first[256];
            setvbuf(stdout, NULL, _IOLBF, 0);
            while (fgets(line, sizeof line, stdin)) {
                if (!strncmp(line, "tourney ", 8)) puts("bot wants=legal name=c");
                else if (!strncmp(line, "game ", 5)) puts("ready");
                else if (!strncmp(line, "legal ", 6)) sscanf(line + 6, "%255s", first);
                else if (!strncmp(line, "go", 2)) printf("move %s\n", first);
                else if (!strncmp(line, "quit", 4)) return 0;
            }
            return 1;
        }
        """,
        encoding="ascii",
    )
    subprocess.run(["cc", "-O1", "-o", "bot", "bot.c"], cwd=play.folder, check=True)
    assert outcome(play("bot", play.bot("good", FIRST)))["faults"] == []
