"""An analysis: a reference bot's value of every position of a match, and what each action lost by it.

Values are chances to win in thousandths (``win_chance``), from the point of view of the seat that acts. The
loss of an action is the value of the best action less that of the played one, both before chance: what the
dice gave in between (``luck``) is taken out, so bad luck is not a mistake. It is 0 for the only legal action
and for the one that the reference bot would play. It is unknown with more than two seats, while an action is
hidden from a seat, and behind dice of a game without a value function.

Marks and accuracy are lichess' (``modules/analyse`` and https://lichess.org/page/accuracy): an action that
loses 5, 10 or 15 % of winning is an inaccuracy, a mistake or a blunder, and its accuracy is
``103.1668 * exp(-0.04354 * loss in %) - 3.1669`` %. A bot's accuracy is the mean of its actions'; lichess
weighs them by the volatility of the game.
"""

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
import rfc8785
from msgspec import Meta, Struct, structs

from tourney.errors import ActionError, InputError
from tourney.games.base import CHANCE, AnyGame, AnyState
from tourney.games.notation import Notation, notation_of
from tourney.games.registry import find_game, known_game
from tourney.match.evidence import POINT, draws, has_luck
from tourney.match.guided_channel import CHOSEN, FollowedRecord
from tourney.match.record import Record
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.protocol import SURE_WIN, win_chance
from tourney.schema import Digest

Mark = Literal["inaccuracy", "mistake", "blunder"]
MARKS: Final[tuple[tuple[int, Mark, str], ...]] = (
    (150, "blunder", "??"),
    (100, "mistake", "?"),
    (50, "inaccuracy", "?!"),
)
"""The loss from which an action has a mark, in thousandths, with the mark's name and sign."""
MOST_LINE: Final = 24
"""The actions of a better line that are kept."""

Thousandths = Annotated[int, Meta(ge=0, le=SURE_WIN)]


class ValuedTurn(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The position before an action: ``ply`` actions were played, ``seat`` acts.

    ``value`` is the seat's chance to win, ``best`` the reference bot's action and ``line`` what it expects,
    that action first. ``loss`` is None where it is unknown.
    """

    ply: Annotated[int, Meta(ge=0)]
    seat: Annotated[int, Meta(ge=1)]
    value: Thousandths
    best: str
    line: tuple[str, ...]
    loss: Thousandths | None

    @property
    def mark(self) -> Mark | None:
        """The mark of the action that was played."""
        return next((name for least, name, _ in MARKS if self.loss is not None and self.loss >= least), None)

    @property
    def sign(self) -> str:
        """The mark as annotators write it, or ""."""
        return next((sign for _, name, sign in MARKS if name == self.mark), "")

    @property
    def chance(self) -> int:
        """The first seat's chance, of two."""
        return self.value if self.seat == 1 else SURE_WIN - self.value


class Analyser(Struct, frozen=True, forbid_unknown_fields=True):
    """The reference bot that values positions, and its limits."""

    bot: Entrant
    limits: Limits

    @property
    def key(self) -> str:
        """Names the analyser in a database: SHA-256 of its bot's digest, arguments and limits."""
        limits = msgspec.to_builtins(self.limits)
        text = rfc8785.dumps([self.bot.digest, list(self.bot.args), limits])
        return hashlib.sha256(text).hexdigest()

    @property
    def label(self) -> str:
        """Its name for people, with the limit of an action."""
        limits = self.limits
        how = f"{limits.nodes} nodes" if limits.nodes is not None else f"{limits.move_ms} ms"
        return f"{' '.join([self.bot.name, *self.bot.args])}, {how} per action"

    @property
    def reproducible(self) -> bool:
        """Whether the same analysis comes out again: time is not counted."""
        return self.limits.nodes is not None

    def spec(self, record: Record) -> MatchSpec:
        """The spec of a match in which all seats are the analyser's, with the record's dice and opening."""
        return structs.replace(record.spec, seats=(self.bot,) * len(record.seats), limits=self.limits)


class Analysis(Struct, frozen=True, forbid_unknown_fields=True):
    """The analysis of a match: outside of its record, whose digest it names."""

    format: Literal["tourney-analysis/1"]
    record: Digest
    analyser: Analyser
    points: tuple[ValuedTurn, ...]

    def encode(self) -> bytes:
        """The analysis as JSON, equal for equal analyses."""
        return msgspec.json.encode(self, order="sorted")

    @property
    def marked(self) -> tuple[ValuedTurn, ...]:
        """The points whose actions have a mark."""
        return tuple(point for point in self.points if point.mark is not None)

    def shares(self, seat: int) -> list[float]:
        """The accuracies of a seat's actions in percent, as far as their losses are known."""
        return [
            min(100.0, 103.1668 * math.exp(-0.04354 * point.loss / 10) - 3.1669)
            for point in self.points
            if point.seat == seat and point.loss is not None
        ]

    def accuracy(self, seat: int) -> float | None:
        """A seat's accuracy in percent, to one decimal, or None if no loss of it is known."""
        shares = self.shares(seat)
        return round(max(0.0, math.fsum(shares) / len(shares)), 1) if shares else None

    def marks_of(self, seat: int) -> dict[Mark, int]:
        """How often a seat earned each mark, the gravest first."""
        return {name: sum(p.mark == name and p.seat == seat for p in self.points) for _, name, _ in MARKS}


def better_notation(record: Record, turn: ValuedTurn, most: int) -> Notation:
    """The notation of a game up to a turn and then along at most ``most`` actions of the better line.

    After dice only the line's first action is sure to be legal; a line that is not stays as it is.
    """
    game = known_game(record.game)
    same_rules = game is not None and game.rules == record.rules
    actions = [*(action for _, action in record.actions[: turn.ply]), *turn.line[:most]]
    return notation_of(game if same_rules else None, actions, len(record.seats), record.options)


def guide_of(record: Record) -> FollowedRecord:
    """The guide that leads the analyser through a record."""
    return FollowedRecord(tuple(action for _, action in record.actions))


def analysis_of(record: Record, played: PlayedMatch, analyser: Analyser) -> Analysis:
    """The analysis from a match that was played along a record.

    Raises InputError if the bot failed, or said nothing from which a chance to win follows.
    """
    faults = [fault for fault in played.outcome.faults if fault[1] != "illegal"]
    if faults:
        seat, kind, ply = faults[0]
        note = "".join(played.lines(seat, "note")[-1:])
        advice = "; an engine is named with its protocol, as uci:stockfish" if kind == "startup" else ""
        raise InputError(f"{analyser.bot.name} failed ({kind}) after {ply} actions: {note}{advice}")
    if played.record.actions[: len(record.actions)] != record.actions:
        # The analyser's own actions are not played, so an illegal one is the record's.
        raise InputError("the actions of the record do not follow from its seed: `tourney verify` says more")
    valued: dict[int, ValuedTurn] = {}
    for line in played.log:
        if line.kind == "info" and line.ply <= len(record.actions) and line.ply not in valued:
            value = win_chance(line.text)
            chosen = re.search(rf"(?:^| ){CHOSEN}=(\S+)", line.text)
            if value is not None and chosen is not None:
                best = chosen[1]
                valued[line.ply] = ValuedTurn(line.ply, line.seat, value, best, _line(line.text, best), None)
    if not valued and any(actor for actor, _ in record.actions[record.opening.length :]):
        raise InputError(
            f"{analyser.bot.name} says no value of positions: it must print `info win=` (0 to 1) or"
            " `info score=` (-1 to 1)"
        )
    points = tuple(_points(record, valued))
    return Analysis("tourney-analysis/1", record.digest, analyser, points)


def _line(info: str, best: str) -> tuple[str, ...]:
    """The expected actions, ``best`` first: those after ``pv=``, separated by commas or blanks."""
    variation = re.search(r"(?:^| )pv=(\S+(?: [^ =]+)*)", info)
    actions = tuple(variation[1].replace(",", " ").split())[:MOST_LINE] if variation else ()
    return actions if actions[:1] == (best,) else (best,)


def _points(record: Record, valued: Mapping[int, ValuedTurn]) -> Iterator[ValuedTurn]:
    """Yield the turns with their losses."""
    game = find_game(record.game)
    turns = _turns(record, game)
    has_lucks = has_luck(game)
    lucks = {draw.ply: draw.luck for draw in draws(record, game)} if has_lucks else {}
    left = {seat: ply for seat, _, ply in record.outcome.faults} | dict(record.outcome.resigned)
    for ply, point in sorted(valued.items()):
        if ply == len(record.actions):
            yield point
            continue
        turn = turns[ply]
        point = _respelled(point, game, turn.state)  # noqa: PLW2901 - the same point
        if ply >= left.get(point.seat, ply + 1):
            continue  # the referee played for the seat
        loss = None
        if turn.loss_known and (record.actions[ply][1] == point.best or not turn.free):
            loss = 0
        elif turn.loss_known and (after := _after(record, valued, ply, point.seat)) is not None:
            following, value = after
            between = range(ply + 1, following)  # all of them are draws
            if has_lucks or not between:
                luck = round(SURE_WIN * sum(lucks[draw_ply][point.seat - 1] for draw_ply in between) / POINT)
                loss = min(max(point.value - min(max(value - luck, 0), SURE_WIN), 0), SURE_WIN)
        yield structs.replace(point, loss=loss)


def _respelled(point: ValuedTurn, game: AnyGame, state: AnyState) -> ValuedTurn:
    """The point with the reference bot's action as records spell it; unchanged if it is not legal."""
    try:
        best = game.action_meant(state, point.best)
    except ActionError:
        return point
    return structs.replace(point, best=best, line=(best, *point.line[1:]))


def _after(record: Record, valued: Mapping[int, ValuedTurn], ply: int, seat: int) -> tuple[int, int] | None:
    """The next ply with a value after a ply, and that value for a seat of two; at the end the result."""
    following = ply + 1
    while following < len(record.actions) and record.actions[following][0] == CHANCE:
        following += 1
    if following in valued:
        value = valued[following].value
        return following, value if valued[following].seat == seat else SURE_WIN - value
    if following < len(record.actions) or record.outcome.reason in {"fault", "resign", "adjudication"}:
        return None
    ranks = record.outcome.ranks
    mine = ranks[seat - 1]
    theirs = ranks[2 - seat]
    return following, SURE_WIN // 2 * (1 + (mine < theirs) - (mine > theirs))


class _PlayedTurn(NamedTuple):
    """An action: the state before it, whether the rules left a choice, and whether its loss can be known."""

    state: AnyState
    free: bool
    loss_known: bool


def _turns(record: Record, game: AnyGame) -> list[_PlayedTurn]:
    """The turns of a record, by action."""
    state = game.new(len(record.seats), record.options)
    turns: list[_PlayedTurn] = []
    hidden = False
    pair = len(record.seats) == 2
    for actor, text in record.actions:
        action = game.read_action(state, text)
        if game.has_hidden_actions:
            hidden = hidden or not all(state.visible(action, seat + 1) for seat in range(len(record.seats)))
        after = state.play(action)
        hidden = hidden and not after.revealed()
        free = actor != CHANCE and len(state.legal_actions()) > 1
        turns.append(_PlayedTurn(state, free, pair and not hidden))
        state = after
    return turns
