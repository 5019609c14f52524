"""The referee: a match as a pure state machine, without clock, process, input or output.

Its driver (``tourney.match.play`` over channels, ``tourney.check.record`` over a record) reports the decision
of the seat to move: an action, a resignation, or a fault. The referee plays it, samples the actions of chance
and of withdrawn seats, and queues lines for every seat::

    referee = Referee(spec, game)
    referee.begin(failed=())
    while (seat := referee.turn):
        ...send referee.request(seat) and the `go` line, read the bot's answer...
        referee.act("3d")           # or referee.resign(), or referee.fault("timeout")
    referee.outcome
"""

from collections import deque
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from tourney.errors import ActionError, EnvironmentFailure, GameError, TournamentError
from tourney.games.base import CHANCE, OVER, Action, AnyGame, AnyState, Tables, Termination
from tourney.match.record import Adjudication, FaultKind, Outcome
from tourney.match.spec import Limits, MatchSpec
from tourney.protocol import HIDDEN, Legal, NewGame, Over, Position, Reveal, Withdrawn, play_line, shown
from tourney.seeds import bot_seed, chance_stream, sample_opening_action, sample_substitute

MAX_TRIES: Final = 1000
"""Attempts to sample an opening with the match's own first dice; as many more have dice of their own."""


class Referee:
    """One match from start-up to outcome. Seats count from 1.

    ``spec`` is the match with all the game's options filled in; ``state`` the position; ``actions`` the
    actions so far, as in the record; ``turn`` the seat to move, 0 before ``begin`` and when the match is
    over; ``outcome`` the result, None until then. ``tables`` are those that the limits ask for, or None: then
    no match ends by them. ``lenient``: actions come from bots, and may be spelled as players of the game do;
    otherwise they are spelled as in a record. Raises OptionError for seats or options that the game lacks,
    and TournamentError for an opening or limits that cannot be played.
    """

    def __init__(
        self, spec: MatchSpec, game: AnyGame, tables: Tables | None = None, *, lenient: bool = False
    ) -> None:
        seats, options = game.settings(len(spec.seats), dict(spec.options))
        if spec.opening.plies and game.has_hidden_actions:
            raise TournamentError(f"opening-plies cannot be drawn for {game.name}, which has hidden actions")
        if spec.limits.adjudicated and seats != 2:
            raise TournamentError(
                "draw, resign and tablebase-pieces in the limits are for matches of two seats"
            )
        if spec.limits.laws not in (None, game.laws):
            raise TournamentError(
                f"laws in the limits is {spec.limits.laws}, but {game.name} has {game.laws or 'no laws'} here"
            )
        full = tuple(options.items())
        self.spec = spec if spec.options == full else replace(spec, options=full)
        self.state: AnyState = game.initial(seats, options)
        self.actions: list[tuple[int, str]] = []
        self.turn = 0
        self.outcome: Outcome | None = None
        self._tables = tables
        self._lenient = lenient
        self._judge: Adjudicator | None = None
        self._game = game
        self._seed = spec.seed
        self._most = game.max_actions
        self._chances = 0
        self._chance_draw = chance_stream(spec.seed)
        self._substituted: dict[int, int] = {}
        self._faults: list[tuple[int, FaultKind, int]] = []
        self._resigned: list[tuple[int, int]] = []
        self._order: list[int] = []
        self._informed = list(range(1, seats + 1))
        self._queues: list[list[bytes]] = [[] for _ in range(seats + 1)]
        self._audience = self._queues[1:]
        self._position = [False] * (seats + 1)
        self._legal = [False] * (seats + 1)
        self._hidden: dict[int, list[tuple[int, str]]] | None = None
        if game.has_hidden_actions:
            self._hidden = {seat: [] for seat in self._informed}

    def want(self, seat: int, *, position: bool, legal: bool) -> None:
        """Set the lines that a seat gets before each of its turns."""
        self._position[seat] = position
        self._legal[seat] = legal

    def game_line(self, seat: int) -> bytes:
        """The line that begins the game for a seat."""
        limits = self.spec.limits_of(seat)
        return NewGame(
            self.spec.game,
            len(self.spec.seats),
            seat,
            bot_seed(self._seed, seat),
            limits.move_ms,
            limits.clock_ms,
            limits.increment_ms or 0,
            limits.nodes,
            dict(self.spec.options),
        ).encode()

    def take(self, seat: int) -> bytes:
        """Take the queued lines of a seat; none for a seat withdrawn by a fault."""
        lines = b"".join(self._queues[seat])
        self._queues[seat].clear()
        return lines

    def request(self, seat: int) -> bytes:
        """Take the lines of the seat to move, with the position and actions it requested; ``go`` follows.

        Raises GameError where a line would be longer than the protocol allows.
        """
        lines = self.take(seat)
        if self._position[seat]:
            lines += Position(self.state.observation(seat)).encode()
        if self._legal[seat]:
            lines += Legal(self._game.legal_texts(self.state)).encode()
        return lines

    def begin(self, failed: Iterable[int] = ()) -> None:
        """Judge the start-up in seat order, play the opening, and go on to the first turn.

        ``failed`` holds the seats that did not start. Raises TournamentError for an opening that cannot be
        played.
        """
        failed = sorted(set(failed))
        self._faults = [(seat, "startup", 0) for seat in failed]
        if len(failed) == len(self.spec.seats):
            self._informed.clear()
            self._audience = []
            self.outcome = Outcome((1,) * len(failed), "fault", tuple(self._faults))
            return
        for seat in failed:
            self._withdraw(seat, informed=False)
        if not self._ended_by_withdrawal("fault"):
            for actor, action in self._opening():
                self._chances += actor == CHANCE
                self._enter(self.state.play(action), actor, self._game.action_string(action))
            if self.spec.limits.adjudicated:
                moves = [text for actor, text in self.actions if actor != CHANCE]
                plies = len(moves) - any(text.startswith("=") for text in moves[:1])
                numbered = self.state.numbered_plies() if self.spec.limits.laws else None
                plies = plies if numbered is None else numbered
                self._judge = Adjudicator(self.spec.limits, plies, self._tables)
            self._advance()

    def act(self, text: str, score: int | None = None) -> str:
        """Play an action of the seat to move, which gave it a score in hundredths, or none.

        Returns "", or why it is illegal: then it was not played, and the seat is at fault.
        """
        seat = self.turn
        try:
            try:
                after = self._game.play_text(self.state, text)
            except ActionError:
                if not self._lenient:
                    raise
                text = self._game.action_meant(self.state, text)
                after = self._game.play_text(self.state, text)
        except ActionError as error:
            self.fault("illegal")
            return str(error)
        except EnvironmentFailure:
            raise
        except Exception:
            # A plugin's game may fail to read a text that is not an action at all. The match would have no
            # result, and a bot that is losing could send such a text: only a legal action shows that the game
            # is broken.
            if text in self._game.legal_texts(self.state):
                raise
            self.fault("illegal")
            return f"action {shown(text)} is not legal here, and the game fails to read it"
        self._enter(after, seat, text)
        actor = self.turn = after.actor
        if self._judge is not None and actor != OVER:
            verdict = self._judge.judge(seat, score, after)
            if verdict is not None:
                self._finish(verdict.ranks, "adjudication", verdict.adjudication)
                return ""
        if actor < 1 or actor in self._order:
            self._advance()
        return ""

    def resign(self) -> None:
        """Withdraw the seat to move at its own wish; it still receives lines."""
        self._resigned.append((self.turn, len(self.actions)))
        self._leave("resign", informed=True)

    def fault(self, kind: FaultKind) -> None:
        """Withdraw the seat to move for a fault; it receives no more lines."""
        self._faults.append((self.turn, kind, len(self.actions)))
        # FIDE's Laws, 6.9: a player out of time draws if the opponent cannot mate by any series of moves.
        drawn = (
            kind == "timeout"
            and self.spec.limits.laws is not None
            and len(self.spec.seats) == 2
            and not self.state.can_win(3 - self.turn)
        )
        self._leave("fault", informed=False, drawn=drawn)

    def _leave(self, reason: Termination, *, informed: bool, drawn: bool = False) -> None:
        self._withdraw(self.turn, informed=informed)
        if drawn:
            self._order.clear()  # nobody ranks below another for having left
            self._finish(None, reason)
        elif not self._ended_by_withdrawal(reason):
            self._advance()

    def _withdraw(self, seat: int, *, informed: bool) -> None:
        self._order.append(seat)
        if not informed:
            self._informed.remove(seat)
            self._queues[seat].clear()
            self._audience = [self._queues[listener] for listener in self._informed]
        if len(self.spec.seats) > 2:
            self._send_all(Withdrawn(seat).encode())

    def _ended_by_withdrawal(self, reason: Termination) -> bool:
        """End the match if one seat is left; return whether it is over."""
        if len(self._order) < max(1, len(self.spec.seats) - 1):
            return False
        self._finish(None, reason)
        return True

    def _advance(self) -> None:
        """Sample actions of chance and of withdrawn seats until a seat must act or the game is over."""
        order = self._order
        game = self._game
        while True:
            state = self.state
            actor = state.actor
            if actor == CHANCE:
                text, after = game.play_outcome(state, self._chance_draw(self._chances))
                self._chances += 1
                self._enter(after, actor, text)
            elif actor == OVER:
                self._finish(state.ranks(), state.reason())
                return
            elif actor in order:
                j = self._substituted.get(actor, 0)
                self._substituted[actor] = j + 1
                action = sample_substitute(self._seed, actor, j, state.legal_actions())
                self._enter(state.play(action), actor, game.action_string(action))
            else:
                self.turn = actor
                return

    def _enter(self, after: AnyState, actor: int, text: str) -> None:
        """Go on to the state after an action, and queue the action's lines."""
        actions = self.actions
        if len(actions) == self._most:
            raise GameError(
                f"this game of {self._game.name} goes on beyond {self._game.max_actions} actions, which its"
                " rules say cannot be: the game is broken"
            )
        line = play_line(actor, text)
        if self._hidden is None:
            for queue in self._audience:
                queue.append(line)
        else:
            action = self._game.read_action(self.state, text)
            masked = play_line(actor, HIDDEN)
            for seat in self._informed:
                visible = self.state.visible(action, seat)
                self._queues[seat].append(line if visible else masked)
                if not visible:
                    self._hidden[seat].append((actor, text))
        self.state = after
        actions.append((actor, text))
        if self._hidden is not None and after.revealed():
            self._reveal()

    def _reveal(self) -> None:
        """Open all hidden actions to each seat, in the order in which they were played."""
        for seat, entries in (self._hidden or {}).items():
            if seat in self._informed:
                self._queues[seat].extend(Reveal(*entry).encode() for entry in entries)
            entries.clear()

    def _send_all(self, line: bytes) -> None:
        for queue in self._audience:
            queue.append(line)

    def _finish(
        self, ranks: tuple[int, ...] | None, reason: str, adjudication: Adjudication | None = None
    ) -> None:
        seats = range(1, len(self.spec.seats) + 1)
        # Lower is better: a seat that stayed beats all withdrawn ones, a later withdrawal an earlier one.
        keys = [
            (-1 - self._order.index(seat) if seat in self._order else -len(self._order) - 1, rank)
            for seat, rank in zip(seats, ranks or (1,) * len(seats), strict=True)
        ]
        places = tuple(1 + sum(better < key for better in keys) for key in keys)
        self.turn = 0
        self.outcome = Outcome(places, reason, tuple(self._faults), tuple(self._resigned), adjudication)
        self._reveal()
        self._send_all(Over(places, reason).encode())

    def _opening(self) -> list[tuple[int, Action]]:
        """The opening's actions, with the dice inside it."""
        opening = self.spec.opening
        if opening.actions:
            return self._book(opening.actions)
        return self._sampled(opening.plies) if opening.plies else []

    def _sampled(self, plies: int) -> list[tuple[int, Action]]:
        """Sample the opening's actions, with the dice inside it; again where the game ends in it.

        Dice alone may end a game, so later attempts draw them by their number.
        """
        for attempt in range(2 * MAX_TRIES):
            dice = self._chance_draw if attempt < MAX_TRIES else chance_stream(self._seed, attempt)
            state = self.state
            played: list[tuple[int, Action]] = []
            sampled = chances = 0
            while sampled < plies and state.actor != OVER:
                actor = state.actor
                if actor == CHANCE:
                    action = state.outcome(dice(chances))
                    chances += 1
                else:
                    action = sample_opening_action(self._seed, attempt, sampled, state.legal_actions())
                    sampled += 1
                played.append((actor, action))
                state = state.play(action)
            if state.actor != OVER:
                return played
        raise TournamentError(
            f"every game of {self._game.name} ends within {plies} opening plies: ask for fewer"
        )

    def _book(self, texts: tuple[str, ...]) -> list[tuple[int, Action]]:
        """A book's actions, with the dice between them."""
        state = self.state
        played: list[tuple[int, Action]] = []
        chances = 0
        for number, text in enumerate(texts, start=1):
            while state.actor == CHANCE:
                action = state.outcome(self._chance_draw(chances))
                chances += 1
                played.append((CHANCE, action))
                state = state.play(action)
            try:
                action = self._game.read_action(state, text)
            except ActionError as error:
                raise TournamentError(
                    f"action {number} of the opening, {text}, cannot be played: {error}"
                ) from error
            played.append((state.actor, action))
            state = state.play(action)
        if state.actor == OVER:
            raise TournamentError(
                f"the game is over after the opening {' '.join(texts)}: take it from the book"
            )
        return played


class Verdict(NamedTuple):
    """The end of a match by adjudication: its ranks, and why."""

    ranks: tuple[int, ...]
    adjudication: Adjudication


class Adjudicator:
    """Draw, resign and tablebase adjudication: counts the scores of two seats, by the rules of cutechess.

    A score is a bot's word, so it never wins a match: a seat loses by its own scores only, and a draw needs
    those of both. Counts are kept for each seat: where seats take turns they give what cutechess' counts
    give. ``plies`` are the actions of seats before, without a set-up. ``tables`` is None where the limits ask
    for none.
    """

    def __init__(self, limits: Limits, plies: int, tables: Tables | None) -> None:
        self._draw = limits.draw
        self._resign = limits.resign
        self._pieces = limits.tablebase_pieces or 0
        self._tables = tables
        self._plies = plies
        most = max((rule.movecount for rule in (limits.draw, limits.resign) if rule), default=0)
        self._scores: list[deque[int]] = [deque(maxlen=most) for _ in range(3)]
        self._even = [0] * 3
        self._lost = [0] * 3
        self._won = [0] * 3

    def judge(self, seat: int, score: int | None, state: AnyState) -> Verdict | None:
        """Take a seat's action, the score it gave, and the state after it, in which the game is not over.

        Returns the verdict if the match ends here.
        """
        self._plies += 1
        if self._tables is not None and 0 < state.ending() <= self._pieces:
            ranks = self._tables(state)
            if ranks is not None:
                return Verdict(ranks, Adjudication("tablebase"))
        # As in cutechess: a capture or a pawn's move starts the count of even scores again.
        if self._draw is not None and state.irreversible():
            self._even = [0] * 3
        if score is None:
            self._even[seat] = self._lost[seat] = self._won[seat] = 0
            self._scores[seat].clear()
            return None
        self._scores[seat].append(score)
        return self._drawn(seat, score) or self._resigned(seat, score)

    def _drawn(self, seat: int, score: int) -> Verdict | None:
        rule = self._draw
        if rule is None:
            return None
        self._even[seat] = self._even[seat] + 1 if abs(score) <= rule.score else 0
        # ``movenumber`` counts the actions of each seat, and plies those of both.
        if self._plies < 2 * rule.movenumber or min(self._even[1:]) < rule.movecount:
            return None
        return Verdict((1, 1), self._scored("draw", rule.movecount, rule.movecount))

    def _resigned(self, seat: int, score: int) -> Verdict | None:
        rule = self._resign
        if rule is None:
            return None
        self._lost[seat] = self._lost[seat] + 1 if score <= -rule.score else 0
        self._won[seat] = self._won[seat] + 1 if score >= rule.score else 0
        count = rule.movecount
        # As cutechess' ``-resign twosided``: the opponent must have thought so, too.
        count_of_other = rule.movecount if rule.sides == 2 else 0
        if self._lost[seat] < count or self._won[3 - seat] < count_of_other:
            return None
        if seat == 1:
            return Verdict((2, 1), self._scored("resign", count, count_of_other))
        return Verdict((1, 2), self._scored("resign", count_of_other, count))

    def _scored(self, rule: Literal["draw", "resign"], *counts: int) -> Adjudication:
        """The reason, with the given number of last scores of each seat."""
        pairs = zip(self._scores[1:], counts, strict=True)
        return Adjudication(rule, tuple(tuple(map(str, [*s][len(s) - count :])) for s, count in pairs))
