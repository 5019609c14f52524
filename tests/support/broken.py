"""Small games with one mistake each, which the property suite must find by the expected property.

It is one file so that each mistake can be compared with the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.support.toys import Odds, OddsState, Race, RaceState, Toe, ToeState
from tourney.errors import OptionError, PositionError
from tourney.games.base import CHANCE, OVER, Option, State
from tourney.games.diagrams import Diagram, Piece
from tourney.seeds import RandBelow


class _ThirdMan(ToeState):
    __slots__ = ()

    @property
    def actor(self) -> int:
        actor = ToeState.actor.fget(self)  # type: ignore[attr-defined]  # the property of the class above
        return 3 if self.board.count(".") == 5 else int(actor)


class WrongActor(Toe):
    """The actor is a seat that does not exist."""

    expected = "actor"
    state = _ThirdMan


class SecretChance(Race):
    """Chance acts, but has_chance is False."""

    expected = "actor"
    has_chance = False


class _Reversed(ToeState):
    __slots__ = ()

    def legal_actions(self) -> Sequence[int]:
        return list(super().legal_actions())[::-1]


class Unsorted(Toe):
    """The actions are not sorted by their strings."""

    expected = "legal-actions"
    state = _Reversed


class _Twice(ToeState):
    __slots__ = ()

    def legal_actions(self) -> Sequence[int]:
        actions = list(super().legal_actions())
        return actions[:1] + actions if len(actions) < 4 else actions


class Doubled(Toe):
    """An action is listed twice, late in the game."""

    expected = "legal-actions"
    state = _Twice


class Blanks(Toe):
    """Action strings have blanks."""

    expected = "legal-actions"

    def action_string(self, action: int) -> str:
        return " ".join(super().action_string(action))


class _Afterlife(ToeState):
    __slots__ = ()

    def legal_actions(self) -> Sequence[int]:
        return [0] if self.actor == OVER else super().legal_actions()


class Afterlife(Toe):
    """An action is listed although the game is over."""

    expected = "legal-actions"
    state = _Afterlife


class Crossed(Toe):
    """A string parses to another action than its own."""

    expected = "action-strings"

    def parse_action(self, text: str) -> int:
        return super().parse_action({"a1": "c3", "c3": "a1"}.get(text, text))


class _Never(RaceState):
    __slots__ = ()

    def chance_weights(self) -> Sequence[int]:
        return [1, 0]


class ZeroWeight(Race):
    """An outcome has the weight 0."""

    expected = "chance"
    state = _Never


class _Short(RaceState):
    __slots__ = ()

    def chance_weights(self) -> Sequence[int]:
        return [1]


class MissingWeight(Race):
    """There are fewer weights than outcomes."""

    expected = "chance"
    state = _Short


class _FirstOutcome(RaceState):
    __slots__ = ()

    def outcome(self, u: int) -> str:
        return self.legal_actions()[0]


class WrongOutcome(Race):
    """The quick way to chance's outcome ignores the draw."""

    expected = "chance"
    state = _FirstOutcome


class WrongTexts(Toe):
    """The quick way to the legal actions' strings leaves one out."""

    expected = "action-strings"

    def legal_texts(self, state: State[int]) -> tuple[str, ...]:
        return super().legal_texts(state)[1:]


class WrongShortcut(Toe):
    """The quick way to play a string plays the first legal action."""

    expected = "deterministic"

    def play_text(self, state: State[int], text: str) -> State[int]:
        return super().play_text(state, self.action_string(state.legal_actions()[0]))


class LenientShortcut(Toe):
    """The quick way to play a string does not test whether the action is legal."""

    expected = "refused"

    def play_text(self, state: State[int], text: str) -> State[int]:
        return state.play(self.parse_action(text))


class _Third(ToeState):
    __slots__ = ()

    def ranks(self) -> tuple[int, ...] | None:
        ranks = super().ranks()
        return (1, 3) if ranks == (1, 2) else ranks


class OddRanks(Toe):
    """The loser of two has rank 3."""

    expected = "result"
    state = _Third


class _Early(ToeState):
    __slots__ = ()

    def ranks(self) -> tuple[int, ...] | None:
        return super().ranks() or ((1, 1) if self.board.count(".") == 2 else None)


class EarlyRanks(Toe):
    """There are ranks before the game is over."""

    expected = "result"
    state = _Early


class _Resigning(ToeState):
    __slots__ = ()

    def reason(self) -> str:
        return super().reason() and "resign"


class RefereesReason(Toe):
    """The reason is a word reserved for the referee."""

    expected = "result"
    state = _Resigning


class _Tab(ToeState):
    __slots__ = ()

    def observation(self, seat: int) -> str:
        return super().observation(seat).replace(" ", "\t")


class Tabs(Toe):
    """An observation holds a tab."""

    expected = "strings"
    state = _Tab


class _Blind(OddsState):
    __slots__ = ()

    def visible(self, action: int, seat: int) -> bool:
        return self.actor != 1


class BlindActor(Odds):
    """A seat does not see its own action."""

    expected = "visible"
    state = _Blind


class _Unopened(OddsState):
    __slots__ = ()

    def revealed(self) -> bool:
        return False


class NeverRevealed(Odds):
    """Hidden actions stay hidden when the game is over."""

    expected = "visible"
    state = _Unopened


@dataclass(frozen=True, slots=True)
class _Shared(ToeState):
    played: list[int] = field(default_factory=list, compare=False)

    def play(self, action: int) -> "_Shared":
        self.played.append(action)
        return replace(self, board=ToeState.play(self, action).board)

    def observation(self, seat: int) -> str:
        return f"{self.position()} {len(self.played)}"


class Mutable(Toe):
    """All states share a list that playing changes."""

    expected = "immutable"
    state = _Shared


class Fickle(Toe):
    """An action has a different effect the second time."""

    expected = "deterministic"
    times = 0

    def initial(self, seats: int, options: Mapping[str, str]) -> State[int]:
        game = self

        class Turning(ToeState):
            __slots__ = ()

            def play(self, action: int) -> ToeState:
                game.times += 1
                free = list(self.legal_actions())
                return super().play(free[game.times % 2] if len(free) > 1 else action)

        return Turning("." * 9, misere=False)


class _Fragile(ToeState):
    __slots__ = ()

    def play(self, action: int) -> ToeState:
        if action == 8 and self.board[0] == "X":
            raise KeyError("c3")
        return super().play(action)


class Fragile(Toe):
    """Playing c3 fails when there is a cross on a1."""

    expected = "playable"
    state = _Fragile


class Lenient(Toe):
    """Capitals are accepted as small letters."""

    expected = "refused"

    def parse_action(self, text: str) -> int:
        return super().parse_action(text.lower())


class _Anywhere(ToeState):
    __slots__ = ()

    def is_legal(self, action: int) -> bool:
        return self.actor != OVER


class Anywhere(Toe):
    """An occupied square is legal but not listed."""

    expected = "refused"
    state = _Anywhere


class WrongError(Toe):
    """A malformed action string raises another exception than ActionError."""

    expected = "refused"

    def parse_action(self, text: str) -> int:
        return "abc".index(text[0]) + 3 * "123".index(text[1:])


@dataclass(frozen=True, slots=True)
class _Blocking(ToeState):
    blocked: int = -1

    def legal_actions(self) -> Sequence[int]:
        actions = ToeState.legal_actions(self)
        return [a for a in actions if a != self.blocked] if len(actions) > 1 else actions

    def play(self, action: int) -> "_Blocking":
        return replace(self, board=ToeState.play(self, action).board, blocked=(action + 1) % 9)


class Forgetful(Toe):
    """The position string omits data that decides the next legal actions."""

    expected = "read-back"
    state = _Blocking


class LoosePositions(Toe):
    """Blanks around a position string are accepted."""

    expected = "strict-positions"

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[int]:
        return super().parse_position(text.strip(), seats, options)


class CrashingPositions(Toe):
    """A malformed position string raises another exception than PositionError."""

    expected = "strict-positions"

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[int]:
        return self.state(text.split(" ", maxsplit=1)[0].replace("/", "")[:9], options["misere"] == "yes")


class WrongSample(Odds):
    """A sampled state forgets the rounds that were played."""

    expected = "sample"

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> State[int]:
        return super().sample("- " + observation.split(" ")[1], seat, randbelow)


class NoSample(Odds):
    """A game with hidden actions offers no sample."""

    expected = "sample"
    sample = Toe.sample


class OffBoard(Toe):
    """A diagram has a piece outside the board."""

    expected = "diagram"

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        made = super().diagram(view, last)
        return replace(made, pieces=(*made.pieces, Piece(9, 9, "X")))


class Undrawn(Toe):
    """The diagram fails for one last action."""

    expected = "diagram"

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        if last == "b2":
            raise ValueError("cannot draw b2")
        return super().diagram(view, last)


class Endless(Toe):
    """A game has more actions than max_actions."""

    expected = "ends"
    max_actions = 4


class Changing(Race):
    """The start differs from game to game."""

    expected = "replay"
    times = 0

    def initial(self, seats: int, options: Mapping[str, str]) -> State[str]:
        self.times += 1
        return self.state(seats, points=(self.times % 2,) * seats)


class _Open(OddsState):
    __slots__ = ()

    def observation(self, seat: int) -> str:
        return self.position()


class LeakyOdds(Odds):
    """The other seat sees the hidden choice."""

    name = "leaky"
    expected = "no-leak"
    state = _Open


class _Telling(OddsState):
    __slots__ = ()

    def legal_actions(self) -> Sequence[int]:
        actions = super().legal_actions()
        return [a for a in actions if a != self.chosen] if self.chosen else actions


class TellingActions(Odds):
    """The legal actions of seat 2 reveal the choice of seat 1."""

    state = _Telling


class ReservedOption(Toe):
    """An option is named after a key of the protocol."""

    expected = "attributes"
    options = (Option("misere", "no", ("no", "yes"), "x"), Option("seed", "0", ("0",), "x"))


class FewNames(Race):
    """There are fewer names than seats."""

    expected = "attributes"
    seat_names = ("Red", "Blue")


class Contrary(Toe):
    """The default options are refused."""

    expected = "settings"

    def check_settings(self, seats: int, options: Mapping[str, str]) -> None:
        raise OptionError("never")


class Stuck(Race):
    """Chance acts, but has no outcomes."""

    expected = "legal-actions"

    class _Stuck(RaceState):
        __slots__ = ()

        def legal_actions(self) -> Sequence[str]:
            return [] if self.actor == CHANCE and len(self.history) == 6 else super().legal_actions()

    state = _Stuck


class Unreadable(Toe):
    """A position of its own is refused."""

    expected = "read-back"

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[int]:
        if text.endswith("over"):
            raise PositionError("over is over")
        return super().parse_position(text, seats, options)
