"""Check a bot: the handshake, and games against ``random`` at every seat; a module also against itself."""

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from msgspec import structs

from tourney.bot.turn import Match
from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.shipped import shipped_bots
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.channel.interface import Channel, TracedChannel, cut_line
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.check.fault_scene import fault_scene
from tourney.errors import SandboxError, TourneyError
from tourney.games.registry import find_game
from tourney.games.view import text_diagram
from tourney.match.match_memory import MatchMemory, refuse_unfit
from tourney.match.play import play_match
from tourney.match.player import FLUSH, Player, dismiss
from tourney.match.result import PlayedMatch
from tourney.match.runner import MatchRunner, StoreLauncher, entrant_of
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.protocol import NewGame, Over, Play, Reveal, decode_referee
from tourney.run.entrant_reference import find_greeting
from tourney.testing import RecordedChannel

OPPONENT = "random"
CHECKED = "checked"
STDERR_LINES = 10  # the last lines of standard error to show


@dataclass(frozen=True, slots=True)
class Trial:
    """One check and its result.

    ``ok`` is None for advice, which fails no bot. ``advice`` says what to do; ``board`` shows the position of
    an illegal action, ``wire`` holds the last lines between referee and bot, ``stderr`` the bot's last lines
    of standard error. ``fatal``: no check follows, as it would fail in the same way. ``varies``: it played a
    match otherwise when that was replayed. ``used_ms`` has the cost of each of its matches by the bot.
    """

    name: str
    ok: bool | None
    result: str
    advice: str = ""
    wire: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()
    fatal: bool = False
    board: tuple[str, ...] = ()
    varies: bool = False
    used_ms: tuple[int, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield its result in lines and, if it did not pass, all that explains it."""
        word = {True: "ok", None: "note", False: "FAIL"}[self.ok]
        yield f"{word:<5}{self.name}: {self.result}"
        if self.ok:
            return
        if self.advice:
            yield f"     {self.advice}"
        for title, lines in (
            ("the board", self.board),
            ("the last lines between referee and bot", self.wire),
            ("its standard error", self.stderr),
        ):
            if lines:
                yield f"     {title}:"
                yield from (f"         {line}" for line in lines)


@dataclass(frozen=True, slots=True)
class TrialListener:
    """Listens to a check: ``watch`` gets the board after each action, as soon as the bot hears of it.

    ``record`` gets the lines of the first match as a dialogue (``tourney.testing``), and ``begin`` what each
    trial is, before it is played.
    """

    watch: Callable[[str], None] | None = None
    record: list[str] | None = None
    begin: Callable[[str], None] | None = None


def check_bot(
    bot: StoredBot,
    store: BotStore,
    sandbox: Sandbox,
    games: Sequence[str],
    limits: Limits,
    listener: TrialListener = TrialListener(),
) -> Iterator[Trial]:
    """Check a bot of a store in games; yield each trial as soon as it ends.

    The bot plays each game against ``random``, at every seat of the smallest and of the largest number of
    seats; then the first match twice, which should reproduce, and two matches in one process. A WebAssembly
    module also plays each game against itself by fuel, and again, which must reproduce. Raises BotError for a
    build that fails, with its last lines as a note; GameError for an unknown game; SandboxError where
    ``random`` fails as well, and if the bot may use more memory than this machine has.
    """
    # ``random`` uses little; a module also plays all seats of a match.
    module = bot.manifest.module is not None
    count = max(find_game(game).seat_counts[0] for game in games) if module and games else 1
    refuse_unfit(MatchMemory.of(limits, count, modules=module))
    checker = _Checker(bot, store, sandbox, limits, listener)
    for trial in _trials(checker, games):
        yield replace(trial, used_ms=tuple(checker.used_ms))
        checker.used_ms.clear()


def _trials(checker: "_Checker", games: Sequence[str]) -> Iterator[Trial]:
    passed = True
    for game in games:
        counts = find_game(game).seat_counts
        for seats, seat in [(n, k) for n in sorted({counts[0], counts[-1]}) for k in range(1, n + 1)]:
            trial = checker.play_at(game, seats, seat)
            yield trial
            if trial.fatal:
                return
            if not trial.ok:
                passed = False
                break
    if passed and games:
        yield checker.play_again(games[0])
        yield checker.play_on(games[0])
    if passed and checker.bot.manifest.module is not None:
        yield from map(checker.play_by_fuel, games)


@dataclass
class _Checker:
    """Plays one bot against ``random``; ``used_ms`` gets the cost of each match by the bot."""

    bot: StoredBot
    store: BotStore
    sandbox: Sandbox
    limits: Limits
    listener: TrialListener

    def __post_init__(self) -> None:
        self._launch = StoreLauncher(self.store, self.sandbox)
        self._wire: Collection[str] = ()
        self.used_ms: list[int] = []
        self._checked = entrant_of(self.bot, CHECKED)
        self._other = entrant_of(self.store.add(shipped_bots()[OPPONENT], origin="used"), OPPONENT)

    def play_again(self, game: str) -> Trial:
        """Play the first match twice and compare the actions."""
        seats = find_game(game).seat_counts[0]
        name = "the same match again"
        self._begin(name)
        played = [self._play(game, seats, 1) for _ in range(2)]
        for match in played:
            if match.outcome.seat_faults[0]:
                return Trial(name, None, _note_of(match, 1), _advice(match, 1, game))
        first, second = (match.record.actions for match in played)
        if first == second:
            return Trial(name, True, "the same actions")
        pairs = zip([*first, None], [*second, None], strict=False)  # one may be the other's beginning
        number = next(number for number, (a, b) in enumerate(pairs, start=1) if a != b)
        return Trial(
            name,
            None,
            f"action {number} differs",
            "tourney rerun cannot reproduce its matches, and marks those to come so: take random numbers from"
            " the seed of the game line, and limit the search by nodes rather than by time; or state"
            " deterministic = false",
            varies=True,
        )

    def play_on(self, game: str) -> Trial:
        """Play two matches in one process."""
        rules = find_game(game)
        name = "two matches in one process"
        self._begin(name)
        specs = [self._spec(game, rules.seat_counts[0], 1, seed) for seed in (1, 2)]
        players: list[Player] = []
        try:
            for entrant in specs[0].seats:
                players.append(Player(self._traced(entrant, self.limits), reuse=True))  # noqa: PERF401 - if one fails, the others are ended
            for number, spec in enumerate(specs, start=1):
                played = play_match(spec, rules, players)
                self._count(played, 1)
                if played.outcome.seat_faults[0]:
                    result = f"fails in match {number}: {_note_of(played, 1)}"
                    advice = "do not use it with reuse = true: after `over` comes `game` or `quit`"
                    return Trial(name, None, result, advice, tuple(self._wire), _stderr_of(played, 1))
        finally:
            dismiss(players)
        return Trial(name, True, "plays on after `over`")

    def play_by_fuel(self, game: str) -> Trial:
        """Play a module against itself by fuel, twice; say what its moves took."""
        limits = structs.replace(self.limits, charge="fuel", ponder="allow").metered()
        name = f"{game} by fuel, against itself"
        self._begin(name)
        seats = find_game(game).seat_counts[0]
        entrants = tuple(structs.replace(self._checked, name=f"{CHECKED}-{k}") for k in range(1, seats + 1))
        spec = MatchSpec(game, (), entrants, 1, limits)
        with MatchRunner(self._launch, sandbox=self.sandbox) as runner:
            played, again = (runner.play(spec) for _ in range(2))
        for match in (played, again):
            self._count(match, *range(1, seats + 1))
        if played.outcome.faults:
            seat, _, _ = played.outcome.faults[0]
            note = _note_of(played, seat)
            advice = _advice(played, seat, game)
            return Trial(name, False, note, advice, (), _stderr_of(played, seat))
        if played.record != again.record:
            return Trial(
                name, False, "the same match again is another match", "report this as a bug of Tourney"
            )
        took = sorted(ms for ms in played.measured.times_ms if ms is not None)
        if not took:
            return Trial(name, True, "no seat was to move")
        per_ms = limits.fuel_per_ms or 0
        middle, most = (
            f"about {ms * per_ms:,.0f} fuel ({ms:,.3f} ms)" for ms in (took[len(took) // 2], took[-1])
        )
        return Trial(
            name,
            True,
            f"{len(took)} moves, {middle} each in the median and {most} at most, at {per_ms:,} fuel a"
            " millisecond; the same again",
        )

    def _begin(self, name: str) -> None:
        if self.listener.begin is not None:
            self.listener.begin(f"{name} ...")

    def _count(self, played: PlayedMatch, *seats: int) -> None:
        self.used_ms.append(round(sum(played.measured.used_ms[seat - 1] for seat in seats)))

    def _play(self, game: str, seats: int, seat: int) -> PlayedMatch:
        with MatchRunner(self._traced, sandbox=self.sandbox) as runner:
            played = runner.play(self._spec(game, seats, seat, seed=1))
        self._count(played, seat)
        for opponent in range(1, seats + 1):
            if opponent != seat and played.outcome.seat_faults[opponent - 1]:
                raise SandboxError(
                    f"{OPPONENT}, which ships with Tourney, failed as well ({_note_of(played, opponent)});"
                    " check this machine with tourney doctor"
                )
        return played

    def _spec(self, game: str, seats: int, seat: int, seed: int) -> MatchSpec:
        entrants = [structs.replace(self._other, name=f"{OPPONENT}-{k}") for k in range(1, seats + 1)]
        entrants[seat - 1] = self._checked
        return MatchSpec(game, (), tuple(entrants), seed, self.limits)

    def _traced(self, entrant: Entrant, limits: Limits) -> Channel:
        channel = self._launch(entrant, limits)
        if entrant.name != CHECKED:
            return channel
        watch = self.listener.watch
        record = self.listener.record
        if record == []:  # only the first match
            channel = RecordedChannel(channel, record)
        traced = TracedChannel(channel) if watch is None else _WatchedChannel(channel, watch)
        self._wire = traced.lines
        return traced

    def play_at(self, game: str, seats: int, seat: int) -> Trial:
        """Play a game at a seat of a table."""
        name = f"{game} at seat {seat} of {seats}"
        self._begin(name)
        played = self._play(game, seats, seat)
        fault = played.outcome.seat_faults[seat - 1]
        if fault is None:
            return Trial(name, True, _result(played, seat))
        advice = _advice(played, seat, game)
        board = tuple[str, ...]()
        note = _note_of(played, seat)
        if fault == "illegal":
            scene = fault_scene(played.record, find_game(game), seat, note)
            assert scene is not None  # noqa: S101 - the record was just played
            advice += f"; the legal actions were: {scene.legal_text}"
            board = tuple(text_diagram(scene.diagram(find_game(game))).splitlines())
        stderr = _stderr_of(played, seat)
        wire = tuple(self._wire)
        if fault == "startup":
            self._begin("asking for the protocols of engines")
            began = time.monotonic()
            noted = _fault_note(played, seat)
            advice = start_advice(self.bot, self.store, self.sandbox, self.limits, noted) or advice
            self.used_ms.append(round(1000 * (time.monotonic() - began)))
        return Trial(name, False, note, advice, wire, stderr, fault == "startup", board)


class _WatchedChannel(TracedChannel):
    """Says the board after each action that the bot hears of.

    While an action is hidden from it, it has no board: then it says the actions alone.
    """

    def __init__(self, inner: Channel, say: Callable[[str], None]) -> None:
        super().__init__(inner)
        self._say = say
        self._match: Match | None = None

    def _sent(self, data: bytes) -> None:
        super()._sent(data)
        for line in data.decode("utf-8").splitlines():
            match decode_referee(line), self._match:
                case NewGame() as new, _:
                    self._match = Match(new)
                    self._say(f"{line}{_board(self._match)}")
                case Play(seat, action), Match() as open_match:
                    open_match.add(seat, action)
                    actor = f"seat {seat}" if seat else "chance"
                    self._say(f"{len(open_match.history)}. {actor}: {action}{_board(open_match, action)}")
                case Reveal(seat, action), Match() as open_match:
                    open_match.reveal(seat, action)
                    if board := _board(open_match):
                        self._say(f"all is open now{board}")
                case Over(), _:
                    self._say(line)


def _board(match: Match, last: str | None = None) -> str:
    """The board on lines of its own; "" while an action is hidden."""
    state = match.known
    return "" if state is None else f"\n{text_diagram(match.game.diagram(state.position(), last))}"


_ADVICE = {
    "startup": (
        "it must answer `tourney 1` by a line `bot` and `game ...` by a line `ready`, each with a newline and"
        " flushed; see the command in {file}"
    ),
    "illegal": "compare its rules with those of `tourney rules {game}`",
    "timeout": "it must answer each `go` in time by one line `move ACTION`, with a newline and flushed",
    "crash": "it must run until `quit`; its standard error may say more",
    "protocol": (
        "it may print `bot`, `ready`, `move ACTION` or `resign` when requested and `info TEXT` at any time;"
        " print anything else on standard error"
    ),
    "overflow": "it may print at most 1,000 lines or 64 KiB between two requests: print less `info`",
}


_READ_ONLY: Final = re.compile(r"read-only file system|EROFS", re.IGNORECASE)
"""What programs say that cannot write into their folder."""


_ENDED_AT_START: Final = re.compile(r"startup: (?:exited with|killed by) ")
"""The note about a program that ended, where an answer was expected."""


def _advice(played: PlayedMatch, seat: int, game: str) -> str:
    """The advice for a seat's fault."""
    note = _fault_note(played, seat)
    _, withheld, more = note.partition(FLUSH)
    if withheld:
        return f"no line came; {FLUSH}{more}"
    if any(_READ_ONLY.search(line) for line in played.lines(seat, "stderr")):
        return "its folder is read-only while it plays: write below /tmp, which is empty at each start"
    if _ENDED_AT_START.match(note) and played.lines(seat, "stderr"):
        # So ends a program with a mistake in its text, whose author need not look at the protocol.
        return "it ended before it answered: its standard error says why"
    return _ADVICE[played.outcome.seat_faults[seat - 1] or ""].format(game=game, file=FILE_NAME)


def _note_of(played: PlayedMatch, seat: int) -> str:
    """The note of a seat's fault without the advice in it."""
    return cut_line(_fault_note(played, seat).partition(f": {FLUSH}")[0])


def _fault_note(played: PlayedMatch, seat: int) -> str:
    fault = played.outcome.seat_faults[seat - 1]
    notes = [note for note in played.lines(seat, "note") if note.startswith(f"{fault}: ")]
    return notes[-1] if notes else "a fault"


def _stderr_of(played: PlayedMatch, seat: int) -> tuple[str, ...]:
    return tuple(map(cut_line, played.lines(seat, "stderr")[-STDERR_LINES:]))


def _result(played: PlayedMatch, seat: int) -> str:
    outcome = played.outcome
    actions = played.record.actions
    times = zip(actions, played.measured.times_ms, strict=True)
    turns_ms = [ms for (actor, _), ms in times if actor == seat and ms is not None]
    slowest = f", slowest turn {max(turns_ms):.0f} ms" if turns_ms else ""
    return f"{rank_words(outcome.ranks, seat)} ({outcome.reason}), {len(actions)} actions{slowest}"


def rank_words(ranks: Sequence[int], seat: int) -> str:
    """The result of a seat in words."""
    rank = ranks[seat - 1]
    equal = [place for place, rank_there in enumerate(ranks, 1) if rank_there == rank and place != seat]
    if len(equal) + 1 == len(ranks):
        return "a draw"
    if len(ranks) == 2:
        return "won" if rank == 1 else "lost"
    shared = (
        f", shared with seat{'s' if len(equal) > 1 else ''} {' and '.join(map(str, equal))}" if equal else ""
    )
    return f"rank {rank} of {len(ranks)}{shared}"


def start_advice(bot: StoredBot, store: BotStore, sandbox: Sandbox, limits: Limits, note: str = "") -> str:
    """Advice for a bot that fails at start-up, if it speaks an engine's protocol; otherwise "".

    It is asked, unless ``note``, the match log's, says already that its answer came, but not as a line.
    """
    if bot.manifest.protocol != "tourney" or bot.manifest.module is not None or FLUSH in note:
        return ""
    with suppress(TourneyError):  # of the machine; the match of the bot names it
        greeting = find_greeting(bot, store, sandbox, limits)
        if greeting is not None:
            return f"it speaks {greeting.title}: {_protocol_advice(bot, greeting.protocol)}"
    return ""


def _protocol_advice(bot: StoredBot, protocol: str) -> str:
    if (bot.folder / FILE_NAME).exists():
        return f'write protocol = "{protocol}" in its {FILE_NAME}'
    word = bot.manifest.command[0]
    return (
        f'put it in a folder with a {FILE_NAME} of name, version, command = ["{word}"] and protocol ='
        f' "{protocol}"; a command line takes {protocol}:PATH instead, and a tournament file [[entrant]] with'
        ' command = ["PATH"] and the protocol'
    )
