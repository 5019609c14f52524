"""Verify a record: actions by the game's rules, dice, opening and substitutes by its seed; or replay it.

Verifying proves the rules and the dice, not who played: any bot or person may have chosen the actions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import msgspec

from tourney.errors import CheckError, GameError, OptionError, RecordError, TablesError, TournamentError
from tourney.games.base import CHANCE, AnyGame, AnyState, Tables
from tourney.games.notation import Notation, notation_of
from tourney.games.registry import find_game, known_game
from tourney.match.record import Adjudication, FaultKind, Outcome, Record, check_digest, read_record
from tourney.match.referee import Referee
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference, as a sentence; ``action`` is the number (from 1) of the action in question, if any."""

    text: str
    action: int | None = None

    def __str__(self) -> str:
        return self.text if self.action is None else f"action {self.action}: {self.text}"


def verify_data(data: object, game: AnyGame | None = None, notes: set[str] | None = None) -> list[Finding]:
    """The findings about JSON data that should be a record; see ``verify``."""
    try:
        record = read_record(data)
    except RecordError as error:
        return [Finding(f"this is not a record: {error}")]
    return verify(record, game, notes)


def verify(record: Record, game: AnyGame | None = None, notes: set[str] | None = None) -> list[Finding]:
    """The findings about a record; none if it is correct.

    ``game`` defaults to the installed game of the record's name. The replay stops at the first wrong action.
    ``notes`` takes a sentence about what cannot be checked here: results by tables that are missing.
    Raises GameError for a game that is not installed.
    """
    findings = []
    digest = record.content_digest()
    if digest != record.digest:
        findings.append(
            Finding(f"its content has the digest {digest[:16]}..., not {record.digest[:16]}... as it says")
        )
    game = find_game(record.game) if game is None else game
    if game.rules != record.rules:
        why = f"it was played by version {record.rules} of the rules; the game here has version {game.rules}"
        return [*findings, Finding(why)]
    if game.outside:
        return findings  # nothing but the result is known
    replay = _Replay(record, notes)
    finding = replay.run(game)
    return [*findings, *([finding] if finding else [])]


class _Replay:
    """A record played through the referee again."""

    def __init__(self, record: Record, notes: set[str] | None) -> None:
        self._actions = record.actions
        self._outcome = record.outcome
        self._record = record
        self._notes = set[str]() if notes is None else notes
        self._scores = _last_scores(self._actions, self._outcome)
        self._checked = 0

    def run(self, game: AnyGame) -> Finding | None:
        """The first finding, or None."""
        try:
            spec = self._record.spec
            referee = Referee(spec, game, self._tables(spec, game))
            if dict(referee.spec.options) != self._record.options:
                return Finding("options does not hold all the game's options")
            referee.begin(seat for seat, kind, _ in self._outcome.faults if kind == "startup")
            return self._replay(referee)
        except (OptionError, TournamentError) as error:
            return Finding(str(error))
        except GameError as error:
            return Finding(str(error), self._checked + 1)

    def _tables(self, spec: MatchSpec, game: AnyGame) -> Tables | None:
        """The tables that the limits require; without them, a stand-in that believes the record."""
        pieces = spec.limits.tablebase_pieces
        if pieces is None:
            return None
        try:
            return game.tables(pieces)
        except TablesError as error:
            self._notes.add(f"results by tablebase are not checked: {error}")
        ended = self._outcome.adjudication
        count = len(self._actions) if ended is not None and ended.rule == "tablebase" else -1
        # The tables are asked after an action, before it is counted; the record has their last answer.
        return lambda _: self._outcome.ranks if self._checked + 1 == count else None

    def _replay(self, referee: Referee) -> Finding | None:
        """Give the seats' actions and withdrawals to the referee, and compare the actions that it samples."""
        left: dict[tuple[int, int], FaultKind | None] = {
            (count, seat): kind for seat, kind, count in self._outcome.faults if kind != "startup"
        }
        left |= {(count, seat): None for seat, count in self._outcome.resigned}
        while True:
            if finding := self._compare(referee):
                return finding
            seat = referee.turn
            if not seat:
                break
            number = self._checked
            if (number, seat) in left:
                kind = left.pop((number, seat))
                if kind is None:
                    referee.resign()
                else:
                    referee.fault(kind)
                continue
            if number == len(self._actions):
                if self._outcome.adjudication is not None:
                    rule = self._outcome.adjudication.rule
                    return Finding(f"after {number} actions the limits allow no adjudication by {rule}")
                return Finding(f"after {number} actions the game is not over: it is seat {seat}'s turn")
            actor, action = self._actions[number]
            if actor != seat:
                return Finding(f"it is seat {seat}'s turn, but {_who(actor)} plays {action}", number + 1)
            if why := referee.act(action, self._scores.get(number)):
                return Finding(why, number + 1)
        if len(self._actions) > self._checked:
            return Finding("the game was over before it", self._checked + 1)
        if referee.outcome != self._outcome:
            assert referee.outcome is not None  # noqa: S101 - there is no turn left
            for key, claimed, right in _differences(self._outcome, referee.outcome):
                return Finding(f"outcome: {key} says {claimed}, but {right} follows")
        return None

    def _compare(self, referee: Referee) -> Finding | None:
        """Compare the actions since the last call: the record must have the sampled ones."""
        while self._checked < len(referee.actions):
            actor, action = referee.actions[self._checked]
            if self._checked == len(self._actions):
                return Finding(f"the record ends, but {_who(actor)} plays {action} here", self._checked + 1)
            if (actor, action) != self._actions[self._checked]:
                recorded_actor, recorded_action = self._actions[self._checked]
                by = "the dice of the seed are" if actor == CHANCE else f"the seed gives {_who(actor)}"
                return Finding(
                    f"{by} {action}; the record has {_who(recorded_actor)} with {recorded_action}",
                    self._checked + 1,
                )
            self._checked += 1
        return None


def _last_scores(actions: Sequence[tuple[int, str]], outcome: Outcome) -> dict[int, int]:
    """The scores of an adjudication, by the places (from 0) of the actions that they belong to."""
    by_place: dict[int, int] = {}
    scores = () if outcome.adjudication is None else outcome.adjudication.scores
    for seat, texts in enumerate(scores, start=1):
        places = [place for place, (actor, _) in enumerate(actions) if actor == seat]
        by_place |= dict(zip(reversed(places), map(int, reversed(texts)), strict=False))
    return by_place


def _who(actor: int) -> str:
    return "chance" if actor == CHANCE else f"seat {actor}"


def _differences(old: Outcome, new: Outcome) -> Iterator[tuple[str, str, str]]:
    """Yield the keys whose values differ, with both values in words."""
    for key in Outcome.__struct_fields__:
        before = getattr(old, key)
        after = getattr(new, key)
        if before != after:
            yield key, _plain(before), _plain(after)


def _plain(value: object) -> str:
    if value is None or isinstance(value, Adjudication):
        return "nothing" if value is None else str(msgspec.to_builtins(value))
    return (
        value if isinstance(value, str) else str(value).replace("(", "[").replace(",)", "]").replace(")", "]")
    )


def replay(record: Record, game: AnyGame, count: int | None = None) -> AnyState:
    """The state after the first ``count`` actions (default: all) of a correct record."""
    state = game.new(len(record.seats), record.options)
    for _, text in record.actions[:count]:
        state = state.play(game.parse_action(text))
    return state


def rerun(record: Record, play: Callable[[MatchSpec], PlayedMatch]) -> tuple[PlayedMatch, list[Finding]]:
    """Play a record's match again by ``play`` (``MatchRunner.play``); return it with the differences.

    Raises RecordError for a damaged record, CheckError for other rules, and what ``play`` raises.
    """
    check_digest(record)
    game = find_game(record.game)
    if game.outside:
        raise CheckError(
            "an outside referee played the match: Tourney does not start the commands of records; run the"
            " tournament file under another name instead"
        )
    if game.rules != record.rules:
        raise CheckError(
            f"the match was played by version {record.rules} of the rules of {game.name}; version"
            f" {game.rules}, which is here, cannot replay it"
        )
    played = play(record.spec)
    return played, compare(record, played.record)


def compare(old: Record, new: Record) -> list[Finding]:
    """The differences of two records of a match: the first action that differs, and the outcome."""
    findings = []
    for number, (was, now) in enumerate(zip_longest(old.actions, new.actions), start=1):
        if was is None or now is None:
            when, entry = ("it was", was) if now is None else ("now it is", now)
            findings.append(Finding(f"{when} {_entry(entry)}, where the other match was over", number))
            break
        if was != now:
            findings.append(Finding(f"it was {_entry(was)}, now it is {_entry(now)}", number))
            break
    for key, was, now in _differences(old.outcome, new.outcome):
        findings.append(Finding(f"outcome: {key} was {was}, now it is {now}"))
    if not findings and old.digest != new.digest:
        findings.append(Finding("the records differ, though not in actions or outcome"))
    return findings


def _entry(entry: tuple[int, str]) -> str:
    actor, action = entry
    return f"{_who(actor)} {action}"


def written_actions(record: Record) -> Sequence[str]:
    """The actions in their game's notation; unchanged if the rules are missing or one is illegal."""
    return record_notation(record).texts


def record_notation(record: Record) -> Notation:
    """The actions in their game's notation, with the numbers that its players write."""
    game = known_game(record.game)
    same_rules = game is not None and game.rules == record.rules
    actions = [action for _, action in record.actions]
    return notation_of(game if same_rules else None, actions, len(record.seats), record.options)
