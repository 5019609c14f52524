"""An explorer of stored games by position, and a table of the situations in which a bot loses."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeVar

from tourney.errors import GameError, RecordError, StoreDamaged
from tourney.games.registry import find_game
from tourney.match.analysis import Analysis
from tourney.match.record import Record, opening_end
from tourney.match.result import Measurements
from tourney.schedule.row import score_units, units_of_win
from tourney.store.column_reading import MatchParts, analysis_in, unpack_parts
from tourney.store.database import Database
from tourney.store.values import Tournament, TournamentMatch

_CHUNK = 500
"""Matches that are read by one query."""
PHASES = ("first third", "middle third", "last third")
MOST_EXAMPLES = 5
"""Lost games that an answer names."""


@dataclass(slots=True)
class ResultTally:
    """Matches with their points, 1 for a win, and the milliseconds of a bot's actions."""

    matches: int = 0
    points: Fraction = Fraction(0)
    actions: int = 0
    ms: float = 0.0

    def add(self, points: Fraction, ms: float | None = None) -> None:
        """Add a match, or an action of it."""
        self.matches += 1
        self.points += points
        if ms is not None:
            self.actions += 1
            self.ms += ms

    @property
    def score(self) -> float:
        """Points per match."""
        return float(self.points / self.matches) if self.matches else 0.0

    @property
    def mean_ms(self) -> float | None:
        """Milliseconds per measured action, or None."""
        return round(self.ms / self.actions, 3) if self.actions else None


@dataclass(slots=True)
class PositionNode:
    """A position that a bot met, and the actions that it or others played there.

    ``own``: the bot itself acted here. ``line``: the actions before it in ``match``, the first match with
    it.
    """

    position: str
    line: tuple[str, ...]
    own: bool
    match: int
    played: dict[str, ResultTally] = field(default_factory=dict)

    @property
    def matches(self) -> int:
        """The number of times that it was met."""
        return sum(tally.matches for tally in self.played.values())


class BotGame(NamedTuple):
    """A match of a bot: its seat, its points (0 to 1), its record, opponents and measurements."""

    number: int
    seat: int
    points: Fraction
    opponents: tuple[str, ...]
    record: Record
    measured: Measurements
    analysis: Analysis | None = None


class LostGame(NamedTuple):
    """A game that lost points, and the number of actions before the position to look at."""

    number: int
    ply: int


@dataclass(slots=True)
class Explored:
    """The findings of a bot's games: positions in the order met, and tallies by question and answer.

    ``examples``: the first games that lost points, by question and answer.
    """

    positions: dict[str, PositionNode] = field(default_factory=dict)
    losses: dict[str, dict[str, ResultTally]] = field(default_factory=dict)
    examples: dict[tuple[str, str], list[LostGame]] = field(default_factory=dict)


def games_of(database: Database, tournament: Tournament, entrant: int) -> Iterator[BotGame]:
    """Yield an entrant's recorded matches in schedule order, without void ones."""
    names = {entered.number: entered.name for entered in database.tournaments.entrants(tournament.id)}
    rows = [
        match
        for match in database.matches.all(tournament.id, entrant=entrant, finished=True)
        if match.result is not None and match.result.digest and not match.result.void
    ]
    try:
        yield from games_in(rows, names, entrant, partial(with_analyses, database, tournament.id))
    except StoreDamaged:  # reading its row alone says which one is damaged
        for match in rows:
            database.records.get(tournament.id, match.number)
            database.analyses.of(tournament.id, match.number)
        raise


def with_analyses(database: Database, tournament: int, numbers: Sequence[int]) -> dict[int, MatchParts]:
    """The packed data of finished matches, with their analyses."""
    packed = database.analyses.packed(tournament, numbers)
    by_number = database.records.parts(tournament, numbers)
    return {number: parts._replace(analysis=packed.get(number)) for number, parts in by_number.items()}


M = TypeVar("M", bound=TournamentMatch)
Parts = Callable[[Sequence[int]], Mapping[int, MatchParts]]
"""Reads the packed data of some matches by number."""


def each_part(matches: Iterable[M], parts: Parts) -> Iterator[tuple[M, MatchParts]]:
    """Yield matches with the packed data of each; one query reads it for many matches."""
    waiting = iter(matches)
    while chunk := list(islice(waiting, _CHUNK)):
        packed = parts([match.number for match in chunk])
        for match in chunk:
            yield match, packed.get(match.number, MatchParts())


def games_in(
    rows: Sequence[TournamentMatch], names: Mapping[int, str], entrant: int, parts: Parts
) -> Iterator[BotGame]:
    """Yield an entrant's games of matches whose ``parts`` hold a record. Raises StoreDamaged."""
    for match, match_parts in each_part(rows, parts):
        record, _, measured = unpack_parts(match_parts._replace(log=None), len(match.seats))
        if record is None or match.result is None:
            continue
        seat = match.seats.index(entrant)
        units = score_units(match.result.ranks)
        points = Fraction(units[seat], units_of_win(len(units)))
        others = tuple(sorted(names[number] for number in match.seats if number != entrant))
        yield BotGame(match.number, seat + 1, points, others, record, measured, analysis_in(match_parts))


def explore(games: Iterable[BotGame], plies: int) -> Explored:
    """The positions of games, up to ``plies`` actions behind a set opening, and where points were lost.

    The bots do not choose a set opening, so its positions are left out, up to the first of their own.
    A position is the rules' own, so transpositions are one. Hidden actions are visible here. A game whose
    record breaks the rules counts only for the losses.
    """
    explored = Explored()
    for game in games:
        _count(explored, game)
        _follow(explored, game, plies)
    return explored


def _follow(explored: Explored, game: BotGame, plies: int) -> None:
    record = game.record
    times = game.measured.times_ms
    try:
        rules = find_game(record.game)
        state = rules.new(len(record.seats), record.options)
        begin = opening_end(record)
        for ply, (actor, text) in enumerate(record.actions[: begin + plies]):
            if ply < begin:
                state = state.play(rules.read_action(state, text))
                continue
            position = state.position()
            node = explored.positions.get(position)
            if node is None:
                line = tuple(action for _, action in record.actions[:ply])
                # The first way to a position stands for all its transpositions.
                node = PositionNode(position, line, actor == game.seat, game.number)
                explored.positions[position] = node
            # Only the bot's own times: a page on a bot shows what it spent.
            ms = times[ply] if ply < len(times) and actor == game.seat else None
            node.played.setdefault(text, ResultTally()).add(game.points, ms)
            state = state.play(rules.read_action(state, text))
    except (GameError, RecordError):
        return


def _count(explored: Explored, game: BotGame) -> None:
    record = game.record
    moves = [text for actor, text in record.actions if actor]
    own_times = [
        float(ms)
        for (actor, _), ms in zip(record.actions, game.measured.times_ms, strict=False)
        if actor == game.seat and ms is not None
    ]
    answers = {
        "opening": " ".join(moves[: max(2, min(record.opening.length, 4))]) or "none",
        "seat": str(game.seat),
        "length": _span(len(record.actions), 50, "actions"),
        "opponent": ", ".join(game.opponents),
        "reason": record.outcome.reason,
    }
    if own_times:
        # By the bot's own actions: thirds of the clock would depend on its opponent.
        third = max(1, len(own_times) // 3)
        shares = [sum(own_times[:third]), sum(own_times[third : 2 * third]), sum(own_times[2 * third :])]
        answers["most time in"] = PHASES[shares.index(max(shares))]
        answers["time used"] = next(words for most, words in _TIMES if sum(own_times) < most)
    plies = {"opening": opening_end(record)}
    if game.analysis is not None:
        third = len(record.actions) // 3 + 1
        lost = [0] * len(PHASES)
        turns = [t for t in game.analysis.points if t.seat == game.seat and t.loss is not None]
        for turn in turns:
            lost[min(turn.ply // third, 2)] += turn.loss or 0
        phase = lost.index(max(lost))
        answers["lost most in"] = PHASES[phase] if any(lost) else "no phase"
        there = [turn for turn in turns if min(turn.ply // third, 2) == phase]
        worst = max(there, key=lambda turn: (turn.loss or 0, -turn.ply), default=None)
        plies["lost most in"] = worst.ply + 1 if worst is not None else 0
    for question, answer in answers.items():
        explored.losses.setdefault(question, {}).setdefault(answer, ResultTally()).add(game.points)
        games = explored.examples.setdefault((question, answer), [])
        if game.points < 1 and len(games) < MOST_EXAMPLES:
            games.append(LostGame(game.number, plies.get(question, len(record.actions))))


_TIMES = (
    (1_000, "below 1 s"),
    (10_000, "1 to 10 s"),
    (100_000, "10 to 100 s"),
    (float("inf"), "100 s and more"),
)
"""The kinds of games by the milliseconds that the bot used."""


def _span(value: int, width: int, unit: str) -> str:
    low = value // width * width
    return f"{low} to {low + width - 1} {unit}"


def most_met(explored: Explored, most: int) -> list[PositionNode]:
    """The most frequent positions; the earlier one first if they are equally frequent."""
    order: Counter[str] = Counter({key: node.matches for key, node in explored.positions.items()})
    return [explored.positions[key] for key, _ in order.most_common(most)]
