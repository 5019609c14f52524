"""Checking a bot finds each kind of fault; the bots are real processes, in shell."""

from pathlib import Path

import pytest

from tests.support.folders import write_bot, write_shell_bot
from tests.support.programs import needs_compiler
from tourney.bots.catalogue.manifest import Manifest
from tourney.bots.catalogue.starter import new_bot
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BotError
from tourney.match.player import FLUSH
from tourney.match.spec import Limits
from tourney.run.check_bot import Trial, TrialListener, check_bot, rank_words

HELLO = "tourney) echo bot wants=legal;; game) echo ready;; legal) legal=$rest;;\n"
PLAY = 'go) echo "move ${legal%% *}";;\n'
PATIENT = Limits(move_ms=60_000, startup_ms=60_000)


def check(
    folder: Path, tmp_path: Path, *, games: tuple[str, ...] = (), limits: Limits = PATIENT
) -> list[Trial]:
    store = BotStore(tmp_path / "store")
    bot = store.add(folder)
    return list(check_bot(bot, store, open_sandbox("off"), games or bot.manifest.games, limits))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", pytest.param("c", marks=needs_compiler), "shell"])
@pytest.mark.parametrize("game", ["sages-tafl", "cyvasse"])
def test_new_bot_passes_all_trials(language: str, game: str, tmp_path: Path) -> None:
    """The check gives no advice, for games with and without hidden actions."""
    new_bot(tmp_path / "mybot", language, game)
    trials = check(tmp_path / "mybot", tmp_path)
    assert [(trial.name, trial.ok) for trial in trials] == [
        (f"{game} at seat 1 of 2", True),
        (f"{game} at seat 2 of 2", True),
        ("the same match again", True),
        ("two matches in one process", True),
    ]


def test_every_seat_of_fewest_and_most_seats_is_checked(tmp_path: Path) -> None:
    new_bot(tmp_path / "mybot", "shell", "sage-stones")
    trials = check(tmp_path / "mybot", tmp_path)
    assert [trial.name for trial in trials if trial.name.startswith("sage-stones")] == [
        *(f"sage-stones at seat {seat} of 2" for seat in (1, 2)),
        *(f"sage-stones at seat {seat} of 4" for seat in (1, 2, 3, 4)),
    ]
    assert all(trial.ok for trial in trials)


@pytest.mark.usefixtures("answers_no_greeting")
@pytest.mark.parametrize(
    ("cases", "result", "advice"),
    [
        ("tourney) echo dying >&2; exit 3;;", "exited with code 3", "its standard error says why"),
        ("tourney) exit 3;;", "exited with code 3", "it must answer `tourney 1`"),
        ("tourney) echo hello;;", "'hello' is not a line of the protocol", "it must answer `tourney 1`"),
        ("tourney) echo bot wants=all;;", "wants='all' is not position, legal", "by a line `bot`"),
        (
            "tourney) echo bot;; game) echo move x;;",
            "said move where ready",
            "`game ...` by a line `ready`",
        ),
    ],
)
def test_bot_that_does_not_start_fails_one_trial(
    cases: str, result: str, advice: str, tmp_path: Path
) -> None:
    """The check omits trials that would fail in the same way."""
    (trial,) = check(write_shell_bot(tmp_path, "bad", cases, games='["sages-tafl", "element"]'), tmp_path)
    assert (trial.ok, trial.fatal, trial.name) == (False, True, "sages-tafl at seat 1 of 2")
    assert trial.result.startswith("startup: ")
    assert result in trial.result
    assert advice in trial.advice
    assert trial.wire[0] == "> tourney 1"
    assert trial.stderr == (("dying",) if "dying" in cases else ())


@pytest.mark.parametrize(
    ("go", "result", "advice"),
    [
        ("echo move d1-d2", "illegal: action d1-d2 is not legal here", "legal actions were: "),
        ("echo move nonsense", "illegal: ", "`tourney rules sages-tafl`"),
        ("echo oops >&2; exit 1", "crash: exited with code 1", "standard error may say more"),
        ("echo thinking", "protocol: 'thinking' is not a line of the protocol", "`info TEXT`"),
        ("echo ready", "protocol: said ready where move was asked for", "`info TEXT` at any time"),
        ("yes info x | head -n 2000", "overflow", "print less `info`"),
    ],
)
def test_fault_in_play_fails_the_trial(go: str, result: str, advice: str, tmp_path: Path) -> None:
    """The trial has the fault, advice, and the last lines of the dialogue and of standard error."""
    (trial,) = check(write_shell_bot(tmp_path, "bad", f"{HELLO}go) {go};;"), tmp_path)
    assert (trial.ok, trial.fatal) == (False, False)
    assert result in trial.result
    assert advice in trial.advice
    assert any(line.startswith("> go ") for line in trial.wire) or result == "overflow"
    assert trial.stderr == (("oops",) if "oops" in go else ())


def test_listener_hears_of_each_trial_before_it_is_played(tmp_path: Path) -> None:
    """Among them the question for an engine's protocol, which takes seconds."""
    folder = write_shell_bot(tmp_path, "bad", "tourney) echo hello;;")
    store = BotStore(tmp_path / "store")
    heard: list[str] = []
    sandbox = open_sandbox("off")
    listener = TrialListener(begin=heard.append)
    (trial,) = check_bot(store.add(folder), store, sandbox, ["sages-tafl"], Limits(), listener)
    assert heard == [f"{trial.name} ...", "asking for the protocols of engines ..."]


def test_bot_that_does_not_answer_times_out(tmp_path: Path) -> None:
    """It has seat 1, so only its own time is short."""
    folder = write_shell_bot(tmp_path, "slow", f"{HELLO}go) :;;")
    (trial,) = check(folder, tmp_path, limits=Limits(move_ms=1, margin_ms=0, startup_ms=60_000))
    assert trial.result == "timeout: no answer within 1 ms"
    assert "with a newline and flushed" in trial.advice
    assert trial.wire[-1] == "! timeout"


def test_move_that_was_not_flushed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes once the input ends, as that of a program does which keeps its output until it exits."""
    monkeypatch.setattr("tourney.match.player.LATE_MS", 60_000)
    folder = write_shell_bot(tmp_path, "kept", f"{HELLO}go) cat >/dev/null; echo info x; echo move a1;;")
    (trial,) = check(folder, tmp_path, limits=Limits(move_ms=1, margin_ms=0, startup_ms=60_000))
    assert trial.result.endswith("; 'move a1' came only once its input ended")
    assert trial.advice == f"no line came; {FLUSH}, read each line as it comes, or answer sooner"
    assert trial.wire[-1] == "! timeout"


def test_advice_shows_legal_actions_of_the_failed_turn(tmp_path: Path) -> None:
    """They are those of the third turn, cut after twenty."""
    go = 'n=$((n+1)); if [ $n = 3 ]; then echo move z9; else echo "move ${legal%% *}"; fi'
    (trial,) = check(write_shell_bot(tmp_path, "bad", f"{HELLO}go) {go};;"), tmp_path)
    assert "actions: 4 of 400" in trial.board[-2]
    assert len(trial.board) > 9
    legal = next(line for line in reversed(trial.wire) if line.startswith("> legal "))
    shown = trial.advice.partition("legal actions were: ")[2].removesuffix(" ...").split(" ")
    assert len(shown) == 20
    assert legal.startswith("> legal " + " ".join(shown))


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ((1, 2), "won"),
        ((2, 1), "lost"),
        ((1, 1), "a draw"),
        ((1, 1, 1), "a draw"),
        ((1, 2, 3), "rank 1 of 3"),
        ((1, 1, 3), "rank 1 of 3, shared with seat 2"),
        ((2, 1, 2, 2), "rank 2 of 4, shared with seats 3 and 4"),
    ],
)
def test_result_of_a_draw_does_not_read_as_a_win(ranks: tuple[int, ...], words: str) -> None:
    assert rank_words(ranks, 1) == words


@pytest.mark.parametrize("game", ["sage-stones", "cyvasse"])
def test_watch_says_the_board_after_each_action(game: str, tmp_path: Path) -> None:
    """While actions are hidden from the bot there is no board; it comes when all are open."""
    folder = write_shell_bot(tmp_path, "first", HELLO + PLAY, games=f'["{game}"]')
    store = BotStore(tmp_path / "store")
    said: list[str] = []
    trials = check_bot(
        store.add(folder), store, open_sandbox("off"), [game], PATIENT, TrialListener(said.append)
    )
    first = next(trials)
    assert first.ok
    assert said[0].startswith(f"game {game} seats=2 seat=1 ")
    assert said[-1].startswith("over ")
    played = [text for text in said if text[0].isdigit()]
    assert f"), {len(played)} actions" in first.result
    assert [text.partition(".")[0] for text in played] == [str(k) for k in range(1, len(played) + 1)]
    boards = [text.count("\n") > 5 for text in played]
    assert boards[0]
    if game == "cyvasse":
        assert any(text.endswith(" seat 2: ?") for text in played)
        assert sum(text.startswith("all is open now\n") for text in said) == 1
        assert boards[-1]
    else:
        assert all(boards)


def test_program_that_cannot_run_is_reported(tmp_path: Path) -> None:
    """Tourney reports it, or the exit code of the program that ends a bot with the referee."""
    program = "#!/no/such/interpreter\n"
    folder = write_bot(tmp_path, "bad", {"run": program}, command='["./run"]', games='["sages-tafl"]')
    (folder / "run").chmod(0o755)
    (trial,) = check(folder, tmp_path)
    assert trial.fatal
    assert "./run cannot be run: " in trial.result or "exited with code 127" in trial.result
    assert "No such file or directory" in " ".join([trial.result, *trial.stderr])


def test_match_that_does_not_reproduce_gives_advice(tmp_path: Path) -> None:
    program = """
import os
from tourney.bot import run

run(lambda legal, turn: legal[int.from_bytes(os.urandom(8)) % len(legal)], sees="legal")
"""
    trials = check(write_bot(tmp_path, "wild", {"bot.py": program}, games='["sages-tafl"]'), tmp_path)
    again = trials[2]
    assert (again.name, again.ok) == ("the same match again", None)
    assert again.result.startswith("action ")
    assert "from the seed" in again.advice
    assert [trial.varies for trial in trials] == [trial is again for trial in trials]


def test_fault_in_the_repeated_match_is_named(tmp_path: Path) -> None:
    """The bot crashes from its third start on."""
    starts = tmp_path / "starts"
    third = f'echo x >>{starts}; test "$(wc -l <{starts})" -gt 2 && exit 3'
    folder = write_shell_bot(tmp_path, "tired", HELLO.replace("echo ready", f"{third}; echo ready") + PLAY)
    again = check(folder, tmp_path)[2]
    assert (again.name, again.ok) == ("the same match again", None)
    assert again.result.startswith("startup: ")
    assert "must answer" in again.advice


def test_bot_that_ends_after_one_match_gets_advice(tmp_path: Path) -> None:
    folder = write_shell_bot(tmp_path, "once", HELLO + PLAY + "over) exit 0;;")
    trials = check(folder, tmp_path)
    assert [trial.ok for trial in trials] == [True, True, True, None]
    assert "reuse = true" in trials[-1].advice


def test_trials_say_what_their_matches_cost(tmp_path: Path) -> None:
    trials = check(write_shell_bot(tmp_path, "one", HELLO + PLAY), tmp_path)
    assert [len(trial.used_ms) for trial in trials] == [1, 1, 2, 2]
    assert all(ms >= 0 for trial in trials for ms in trial.used_ms)


@pytest.mark.usefixtures("answers_no_greeting")
def test_advice_for_a_bot_that_does_not_start_is_counted(tmp_path: Path) -> None:
    (trial,) = check(write_shell_bot(tmp_path, "mute", "tourney) exit 3;;"), tmp_path)
    assert len(trial.used_ms) == 2


def test_failed_build_raises_with_its_last_lines(tmp_path: Path) -> None:
    folder = write_bot(
        tmp_path, "bad", {}, command='["./run"]', build='["sh", "-c", "echo no compiler; exit 1"]'
    )
    with pytest.raises(BotError, match=r"bad@1\.0 .* failed: it exited with code 1") as caught:
        check(folder, tmp_path, games=("sages-tafl",))
    assert caught.value.__notes__ == ["the last lines of the build:\nno compiler"]


def test_executable_without_a_manifest_can_be_checked(tmp_path: Path) -> None:
    script = (write_shell_bot(tmp_path, "prog", HELLO + PLAY) / "bot.sh").read_text()
    program = tmp_path / "Prog.sh"
    program.write_text(f"#!/bin/sh\n{script}")
    program.chmod(0o755)
    store = BotStore(tmp_path / "store")
    bot = store.add(program)
    assert bot.manifest == Manifest("prog", "0", ("./Prog.sh",))
    assert all(trial.ok for trial in check(program, tmp_path, games=("sages-tafl",)))
