"""Check a bot: the handshake, and games against ``random`` at every seat; what is wrong is said plainly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.resolve import shipped_bots
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.channel.base import Channel, TracedChannel, printable
from tourney.bots.sandbox.base import Sandbox
from tourney.errors import SandboxError
from tourney.games.registry import find_game
from tourney.match.match_runner import MatchRunner, StoreLauncher
from tourney.match.play import Player, dismiss, play_match
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec

OPPONENT = "random"
CHECKED = "checked"
STDERR_LINES = 10
LEGAL_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried.

    ``ok`` None is advice: it holds back no bot. ``advice`` says what to do about it; ``wire`` holds the last
    lines between referee and bot, ``stderr`` its last lines of standard error. ``fatal``: nothing else was
    tried, as it would fail in the same way.
    """

    what: str
    ok: bool | None
    said: str
    advice: str = ""
    wire: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()
    fatal: bool = False


def check_bot(
    bot: StoredBot, store: BotStore, sandbox: Sandbox, games: Sequence[str], limits: Limits
) -> Iterator[Trial]:
    """Try a bot of a store in games, and yield what came of each trial as soon as it is known.

    In each game it plays against ``random`` at every seat of the smallest and of the largest table; then the
    first match again, which should come out the same, and two matches by one process. Raises BotError, with
    the last lines as a note, for a build that fails, GameError for an unknown game, SandboxError where
    ``random`` fails as well.
    """
    table = _Table(bot, store, sandbox, limits)
    passed = True
    for game in games:
        for trial in table.play_all(game):
            yield trial
            passed = passed and trial.ok is not False
            if trial.fatal:
                return
    if passed and games:
        yield table.play_again(games[0])
        yield table.play_on(games[0])


class _Table:
    """Plays one bot against ``random``."""

    def __init__(self, bot: StoredBot, store: BotStore, sandbox: Sandbox, limits: Limits) -> None:
        opponent = store.add(shipped_bots()[OPPONENT], origin="used")
        self._bot = bot
        self._limits = limits
        self._sandbox = sandbox
        self._launch = StoreLauncher(store, sandbox)
        self._trace: TracedChannel | None = None
        self._checked = _entrant(bot, CHECKED)
        self._other = _entrant(opponent, OPPONENT)

    def play_all(self, game: str) -> Iterator[Trial]:
        """Play a game at every seat of its smallest and its largest table; stop at the first that fails."""
        counts = find_game(game).seat_counts
        for seats in sorted({counts[0], counts[-1]}):
            for seat in range(1, seats + 1):
                trial = self._judge(self._play(game, seats, seat), game, seats, seat)
                yield trial
                if not trial.ok:
                    return

    def play_again(self, game: str) -> Trial:
        """Play the first match twice and compare the actions."""
        seats = find_game(game).seat_counts[0]
        one, two = (self._play(game, seats, 1).record["actions"] for _ in range(2))
        what = "the same match again"
        if one == two:
            return Trial(what, True, "the same actions")
        k = next(k for k, (a, b) in enumerate(zip([*one, None], [*two, None], strict=False)) if a != b)
        return Trial(
            what,
            None,
            f"action {k + 1} differs",
            "its matches cannot be played again with the same result (tourney rerun): draw from the seed of"
            " the game line, and limit the search by nodes rather than time",
        )

    def play_on(self, game: str) -> Trial:
        """Play two matches by one process."""
        rules = find_game(game)
        what = "two matches by one process"
        specs = [self._spec(game, rules.seat_counts[0], 1, seed) for seed in (1, 2)]
        players: list[Player] = []
        try:
            for entrant in specs[0].seats:
                players.append(Player(self._traced(entrant, self._limits), reuse=True))  # noqa: PERF401 - if one fails the others are known
            for number, spec in enumerate(specs, start=1):
                played = play_match(spec, rules, players)
                if _fault_of(played, 1) is not None:
                    said = f"fails in match {number}: {_note_of(played, 1)}"
                    advice = "tournaments with reuse = true are not for it: after over comes game or quit"
                    return Trial(what, None, said, advice, self._wire(), _stderr_of(played, 1))
        finally:
            dismiss(players)
        return Trial(what, True, "plays on after over")

    def _play(self, game: str, seats: int, seat: int) -> PlayedMatch:
        with self._room() as room:
            played = room.play(self._spec(game, seats, seat, seed=1))
        for other in range(1, seats + 1):
            if other != seat and _fault_of(played, other) is not None:
                raise SandboxError(
                    f"{OPPONENT}, which ships with Tourney, failed as well ({_note_of(played, other)});"
                    " see what tourney doctor says of this machine"
                )
        return played

    def _spec(self, game: str, seats: int, seat: int, seed: int) -> MatchSpec:
        entrants = [structs.replace(self._other, name=f"{OPPONENT}-{k}") for k in range(1, seats + 1)]
        entrants[seat - 1] = self._checked
        return MatchSpec(game, (), tuple(entrants), seed, self._limits)

    def _room(self) -> MatchRunner:
        return MatchRunner(self._traced, sandbox=self._sandbox)

    def _traced(self, entrant: Entrant, limits: Limits) -> Channel:
        channel = self._launch(entrant, limits)
        if entrant.name != CHECKED:
            return channel
        self._trace = TracedChannel(channel)
        return self._trace

    def _wire(self) -> tuple[str, ...]:
        return self._trace.lines if self._trace is not None else ()

    def _judge(self, played: PlayedMatch, game: str, seats: int, seat: int) -> Trial:
        what = f"{game} at seat {seat} of {seats}"
        fault = _fault_of(played, seat)
        if fault is None:
            return Trial(what, True, _result(played, seat))
        note = _note_of(played, seat)
        advice = _ADVICE[fault].format(game=game, file=FILE_NAME)
        if fault == "illegal":
            advice += f"; legal were: {_legal(played)}"
        return Trial(
            what,
            False,
            note,
            advice,
            self._wire(),
            _stderr_of(played, seat),
            fatal=fault == "startup",
        )


_ADVICE = {
    "startup": (
        "to `tourney 1` it must answer a line `bot`, to `game ...` a line `ready`, each ended by a newline"
        " and flushed; see the command in {file}"
    ),
    "illegal": "compare its rules with ours: tourney rules {game}",
    "timeout": "to each `go` it must answer one line `move ACTION` in time, ended by a newline and flushed",
    "crash": "it must run until `quit`; what it wrote to standard error may say more",
    "protocol": (
        "it may say nothing but `bot`, `ready`, `move ACTION`, `resign` and `info TEXT`, each when it is due;"
        " other output belongs on standard error"
    ),
    "overflow": "between two requests 1,000 lines or 64 KiB are the most: say less with `info`",
}


def _entrant(bot: StoredBot, name: str) -> Entrant:
    return Entrant(name, bot.manifest.name, bot.manifest.version, (), bot.digest)


def _fault_of(played: PlayedMatch, seat: int) -> str | None:
    for at, kind, _ in played.record["outcome"]["faults"]:
        if at == seat:
            return str(kind)
    return None


def _note_of(played: PlayedMatch, seat: int) -> str:
    notes = [line.text for line in played.log if line.seat == seat and line.kind == "note"]
    return printable(notes[-1]) if notes else "a fault"


def _stderr_of(played: PlayedMatch, seat: int) -> tuple[str, ...]:
    lines = [line.text for line in played.log if line.seat == seat and line.kind == "stderr"]
    return tuple(map(printable, lines[-STDERR_LINES:]))


def _result(played: PlayedMatch, seat: int) -> str:
    outcome = played.record["outcome"]
    actions = played.record["actions"]
    times = played.measured["times-ms"]
    own = [ms for (actor, _), ms in zip(actions, times, strict=True) if actor == seat and ms is not None]
    slowest = f", slowest turn {max(own):.0f} ms" if own else ""
    rank = f"rank {outcome['ranks'][seat - 1]}"
    return f"{rank} of {len(outcome['ranks'])} ({outcome['reason']}), {len(actions)} actions{slowest}"


def _legal(played: PlayedMatch) -> str:
    """Return what was legal at the end of a match that an illegal action ended, or withdrew a seat from."""
    record = played.record
    game = find_game(record["game"])
    state = game.new(len(record["seats"]), record["options"])
    for _, text in record["actions"][: record["outcome"]["faults"][0][2]]:
        state = state.play(game.parse_action(text))
    actions = list(map(game.action_string, state.legal_actions()))
    return " ".join(actions[:LEGAL_SHOWN]) + (" ..." if len(actions) > LEGAL_SHOWN else "")
