"""Every pair and triple of bots that misbehave: each is charged with its own fault, an honest bot with none.

After DOMjudge's ``judge/runpipe_test``. The large part is played by real channels on a stage's clock, so a
millisecond decides; the rest by real processes, with limits that only bots meet which never answer.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

import pytest
from msgspec import structs

from tests.support.folders import write_shell_bot
from tests.support.piped import DEATH, Output, PipedChannel, Stage, polite
from tests.support.tables import GAMES, make_spec
from tourney.bots.catalogue.store import BotStore
from tourney.match.play import play_match
from tourney.match.player import FLUSH, Player
from tourney.match.result import PlayedMatch
from tourney.match.runner import entrant_of
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.run.workers.executor import MAX_FAILURES, MatchTask
from tourney.run.workers.local import LocalExecutor

pytestmark = pytest.mark.slow

LIMIT: Final = 50
LIMITS: Final = Limits(move_ms=LIMIT, margin_ms=0, startup_ms=LIMIT)
STAGES: Final = {"hello": "tourney", "ready": "game", "turn": "go"}
LINES: Final = {"hello": b"bot wants=legal\n", "ready": b"ready\n", "turn": b"move %b\n"}
FLOOD: Final = b"info " + b"x" * 995 + b"\n"
Ponder = Literal["allow", "freeze"]


class Kind(NamedTuple):
    """A way to behave: its name, when it shows, and the fault that it is charged with."""

    name: str
    when: Literal["hello", "ready", "turn"] = "hello"
    fault: str | None = None

    def __str__(self) -> str:
        return f"{self.name} at {self.when}" if self.fault else self.name


HONEST: Final = (Kind("honest"), Kind("just in time"))
MISBEHAVING: Final = (
    *(
        Kind(name, "hello", "startup")
        for name in ("silent", "dies", "floods", "half a line", "unflushed", "late")
    ),
    *(Kind(name, "ready", "startup") for name in ("silent", "dies", "late")),
    *(Kind(name, "turn", "timeout") for name in ("silent", "half a line", "unflushed", "late")),
    Kind("dies", "turn", "crash"),
    Kind("floods", "turn", "overflow"),
)
KINDS: Final = HONEST + MISBEHAVING


def output(kind: Kind, line: bytes) -> list[Output]:
    """What a bot of this kind writes at its moment, where an honest one writes a line."""
    match kind.name:
        case "dies":
            return [Output(1, DEATH)]
        case "floods":
            return [Output(1, FLOOD * 60), Output(2, FLOOD * 60)]
        case "half a line":
            return [Output(0, line[:3])]
        case "late":
            return [Output(LIMIT + 1, line)]
        case _:
            return []


def staged(stage: Stage, kind: Kind) -> PipedChannel:
    """A bot of this kind on a stage."""
    if kind.name == "honest":
        return stage.bot(polite())
    if kind.name == "just in time":
        just = polite()
        return stage.bot(lambda data: [Output(LIMIT - 1, line.data) for line in just(data)])
    line = LINES[kind.when].replace(b"%b", b"a1")
    channel = stage.bot(polite(**{STAGES[kind.when]: output(kind, line)}))
    if kind.name == "unflushed":
        channel.buffered = line
    return channel


def judge(kinds: Sequence[Kind], played: PlayedMatch) -> None:
    """Assert that each bot has its own fault or none, and that an honest one has none and does not lose."""
    outcome = played.outcome
    faulty = [rank for rank, fault in zip(outcome.ranks, outcome.seat_faults, strict=True) if fault]
    misbehaving = [kind for kind in kinds if kind.fault]
    for kind, fault, rank in zip(kinds, outcome.seat_faults, outcome.ranks, strict=True):
        # A turn may not come: a match ends when one seat is left.
        if kind.fault == "startup" or len(misbehaving) == 1:
            assert fault == kind.fault
        assert fault in (None, kind.fault)
        if not kind.fault and faulty:
            assert rank < min(faulty)


def tables(seats: int) -> Iterator[tuple[Kind, ...]]:
    """All that some kinds can sit together, each on each seat."""
    for kinds in itertools.combinations_with_replacement(KINDS, seats):
        yield from dict.fromkeys(kinds[seat:] + kinds[:seat] for seat in range(seats))


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("ponder", ["allow", "freeze"])
def test_all_pairs_and_triples_are_judged_each_by_itself(
    seats: int, ponder: Ponder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kind on each seat, to a millisecond."""
    game = GAMES["toe" if seats == 2 else "race"]
    spec = make_spec(game.name, seats, limits=structs.replace(LIMITS, ponder=ponder))
    for kinds in tables(seats):
        with Stage(monkeypatch) as stage:
            players = [Player(staged(stage, kind)) for kind in kinds]
            played = play_match(spec, game, players, clock=stage.clock)
        try:
            judge(kinds, played)
            for seat, kind in enumerate(kinds, 1):
                if kind.name in ("unflushed", "half a line") and played.outcome.seat_faults[seat - 1]:
                    assert FLUSH in played.lines(seat, "note")[0]
        except AssertionError as error:
            error.add_note(" / ".join(map(str, kinds)))
            raise


REAL: Final = tuple(kind for kind in MISBEHAVING if kind.name != "late")
ANSWERS: Final = {"hello": "echo bot wants=legal", "ready": "echo ready", "turn": 'echo "move ${legal%% *}"'}
DEEDS: Final = {
    "silent": ":",
    "dies": "exit 3",
    "floods": "yes info",
    "half a line": "printf half",
    "unflushed": "cat >/dev/null; {}",  # as a program does that keeps its output until it exits
}
REAL_LIMITS: Final = Limits(move_ms=400, margin_ms=0, startup_ms=1000)
"""Honest bots need some milliseconds of them; a wait for a processor is not charged."""


def write_kind(folder: Path, kind: Kind) -> Path:
    """A bot of this kind in shell."""
    answers = dict(ANSWERS)
    if kind.fault:
        answers[kind.when] = DEEDS[kind.name].format(answers[kind.when])
    cases = [f"{STAGES[when]}) {answer};;" for when, answer in answers.items()]
    name = str(kind).replace(" ", "-")
    return write_shell_bot(folder, name, "\n".join(["legal) legal=$rest;;", *cases]), games='["sage-stones"]')


@pytest.fixture(scope="module")
def entrants(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Mapping[Kind, Entrant]]:
    """A store with a bot of each kind, and the bots as entrants."""
    folder = tmp_path_factory.mktemp("kinds")
    store = BotStore(folder / "store")
    bots = {kind: store.add(write_kind(folder, kind)) for kind in (HONEST[0], *REAL)}
    return str(store.root), {kind: entrant_of(bot, bot.manifest.name) for kind, bot in bots.items()}


def pairs() -> Iterator[tuple[Kind, ...]]:
    """An honest bot with each other kind, in both orders."""
    for kind in REAL:
        yield HONEST[0], kind
        yield kind, HONEST[0]


def triples() -> Iterator[tuple[Kind, ...]]:
    """An honest bot, at each seat in turn, with each other kind and one more; and two with one."""
    for number, kind in enumerate(REAL):
        kinds = HONEST[0], kind, REAL[(number + 1 + number // 4) % len(REAL)]
        yield kinds[number % 3 :] + kinds[: number % 3]
        if number % 4 == 0:
            yield HONEST[0], kind, HONEST[0]


def play_all(
    store: str, specs: Sequence[MatchSpec], sandbox: Literal["auto", "off"], workers: int
) -> list[PlayedMatch]:
    """Play matches by worker processes; replay one that the machine could not play, as a run does."""
    executor = LocalExecutor(workers)
    try:
        tasks = [MatchTask(number, spec, store, sandbox, reuse=False) for number, spec in enumerate(specs, 1)]
        replies = {}
        for _ in range(MAX_FAILURES):
            left = [task for task in tasks if task.number not in replies]
            futures = [executor.submit(task) for task in left]
            executor.flush()
            for task, future in zip(left, futures, strict=True):
                if (played := future.result(600).played) is not None:
                    replies[task.number] = played
        return [replies[task.number] for task in tasks]
    finally:
        executor.close()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("sandbox", "ponder"), [("auto", "freeze"), ("auto", "allow"), ("off", "allow")])
def test_real_bots_are_judged_each_by_itself(
    entrants: tuple[str, Mapping[Kind, Entrant]],
    sandbox: Literal["auto", "off"],
    ponder: Ponder,
    workers: int,
) -> None:
    """With waiting bots frozen, with bots that may ponder, and without a sandbox; triples by two workers."""
    store, bots = entrants
    limits = structs.replace(REAL_LIMITS, ponder=ponder)
    seated = [*pairs(), *(triples() if workers > 1 else ())]
    specs = []
    for seed, kinds in enumerate(seated, 1):
        seats = tuple(structs.replace(bots[kind], name=f"bot-{seat}") for seat, kind in enumerate(kinds, 1))
        specs.append(MatchSpec("sage-stones", (), seats, seed, limits))
    for kinds, played in zip(seated, play_all(store, specs, sandbox, workers), strict=True):
        try:
            judge(kinds, played)
        except AssertionError as error:
            error.add_note(f"{' / '.join(map(str, kinds))}: {played.outcome}, {played.log}")
            raise
