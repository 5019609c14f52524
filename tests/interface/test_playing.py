"""Play from Python: matches reproduce by their seed, and tournaments go on where they stopped."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import tourney
from tests.support.folders import write_shell_bot
from tests.support.memory import set_memory
from tests.support.tournaments import THREE_PEBBLES, refused, write_file
from tourney.check.record import verify
from tourney.errors import BotError, GameError, SandboxError, TournamentError, UsageError

SLOW = tourney.Limits(move_ms=600_000, startup_ms=600_000)


def test_match_reproduces_by_its_seed(tmp_path: Path) -> None:
    def played(seed: int) -> tourney.FoundMatch:
        return tourney.play_match(
            "sage-stones",
            ["pebble", "pebble"],
            seed=seed,
            limits=SLOW,
            sandbox="off",
            store=tmp_path / "bots",
        )

    first = played(7)
    assert first.label == "sage-stones: pebble-1 against pebble-2, seed 7"
    assert verify(first.record) == []
    assert played(7).record == first.record
    assert played(8).record != first.record


def test_fault_of_a_bot_is_data(tmp_path: Path) -> None:
    mute = write_shell_bot(tmp_path, "mute", "*) exit 3;;", games='["sage-stones"]')
    match = tourney.play_match(
        "sage-stones", [mute, "pebble"], seed=1, limits=SLOW, sandbox="off", store=tmp_path / "bots"
    )
    assert [kind for _, kind, _ in match.record.outcome.faults] == ["startup"]


@pytest.mark.parametrize(
    ("game", "bots", "kind", "said"),
    [
        ("draughts", ["pebble"], GameError, "there is no game 'draughts'"),
        ("sage-stones", ["pebble"], tourney.TourneyError, "is played with 2, 3, 4 seats, not 1"),
        ("sage-stones", ["pebble", "unknown"], BotError, "there is no bot 'unknown'"),
        ("sage-stones", ["pebble", "pebble '"], UsageError, "is not a bot with arguments"),
        ("sages-tafl", ["heron", "pebble"], BotError, "does not play sages-tafl"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(
    game: str, bots: list[str], kind: type[Exception], said: str, tmp_path: Path
) -> None:
    with refused(kind, said):
        tourney.play_match(game, bots, store=tmp_path / "bots", sandbox="off")


@pytest.mark.parametrize(
    ("bots", "more", "said"),
    [
        ("pebble", {}, "bots is 'pebble': it must be a list"),
        (["pebble", 5], {}, "it must be a list of names and paths"),
        (["pebble", ""], {}, "'' names no bot"),
        (["pebble", "pebble"], {"seed": -1}, "seed is -1: it must be a number from 0 to"),
        (["pebble", "pebble"], {"seed": True}, "seed is True"),
        (["pebble", "pebble"], {"seed": 2**64}, "it must be a number from 0 to 2**64 - 1"),
        (["pebble", "pebble"], {"limits": {"move_ms": 5}}, "it must be tourney.Limits"),
        (["pebble", "pebble"], {"sandbox": "none"}, "sandbox is 'none': it must be"),
    ],
)
def test_wrong_argument_of_a_match_is_one_sentence(
    bots: Any, more: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with refused(UsageError, said):
        tourney.play_match("sage-stones", bots, store=tmp_path / "bots", **{"sandbox": "off", **more})


@pytest.mark.parametrize("workers", [0, -1, True, "2", 1.5])
def test_wrong_number_of_workers_is_one_sentence(workers: Any, tmp_path: Path) -> None:
    file = write_file(tmp_path, THREE_PEBBLES)
    with refused(UsageError, f"workers is {workers!r}: it must be a number of matches from 1 on"):
        tourney.run_tournament(file, db=tmp_path / "t.db", workers=workers)
    assert not (tmp_path / "t.db").exists()


def test_tournament_runs_and_goes_on(tmp_path: Path) -> None:
    file = write_file(tmp_path, THREE_PEBBLES.replace("pairing = 4", "pairing = 2"))
    play = partial(tourney.run_tournament, file, db=tmp_path / "t.db", bots=tmp_path / "bots", workers=1)
    first = play()
    assert (first.code, first.summary.progress.done) == (0, 6)
    with tourney.open_database(tmp_path / "t.db") as database:
        assert database.tournaments()["root"].to_list() == [first.summary.root]
    again = play()
    assert (again.summary.progress.played, again.summary.root) == (0, first.summary.root)
    write_file(tmp_path, THREE_PEBBLES)
    write_file(tmp_path, THREE_PEBBLES.replace("pairing = 4", "pairing = 2").replace("seed = ", "seed = 1"))
    with refused(TournamentError, "seed"):
        play()


def test_import_is_lazy_and_complete() -> None:
    """Workers and bots import the package: they start without pandas and the database's libraries."""
    code = (
        "import sys, tourney, tourney.run.workers.worker\n"
        "print(*sorted({'pandas', 'sqlmodel', 'jinja2', 'numpy'} & set(sys.modules)))\n"
        "assert set(tourney._MODULES) <= set(dir(tourney))\n"
        "for name in tourney._MODULES: getattr(tourney, name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
    with pytest.raises(AttributeError, match="has no attribute 'wrong'"):
        tourney.wrong  # type: ignore[attr-defined]  # noqa: B018 - the access is what is tested


def test_stub_has_the_names_of_the_module() -> None:
    stub = Path(str(tourney.__file__) + "i").read_text("utf-8")
    named = {line.rpartition(" as ")[2] for line in stub.splitlines() if " as " in line}
    assert named == set(tourney._MODULES)  # type: ignore[attr-defined]  # a detail that the stub leaves out


def test_match_that_does_not_fit_into_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_memory(monkeypatch, 1000)
    with refused(SandboxError, "a match of 2 bots with memory-mb = 1024 does not fit into memory"):
        tourney.play_match("sage-stones", ["pebble", "pebble"], store=tmp_path / "bots", sandbox="off")
