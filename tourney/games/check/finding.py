"""What the suite finds: a property that fails, and where."""

from dataclasses import dataclass

from tourney.errors import OptionError
from tourney.games.base import AnyGame


@dataclass(frozen=True, slots=True)
class Setting:
    """A number of seats and a value for every option: what a game is begun with."""

    seats: int
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return " ".join([f"seats={self.seats}", *(f"{name}={value}" for name, value in self.options)])


@dataclass(frozen=True, slots=True)
class Finding:
    """A property that does not hold, in one sentence, and the actions that lead to where it shows.

    ``name`` is the property's, one of ``PROPERTIES``. ``setting`` is None where it is about the game as such.
    ``position`` is set where the state was read from that string; the history is empty then.
    """

    name: str
    what: str
    setting: Setting | None = None
    history: tuple[str, ...] = ()
    position: str | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines for ``tourney rules`` that lead to the state; none if it is about no state."""
        if self.setting is None:
            return ()
        start = (f"new {self.setting}",)
        if self.position is not None:
            return (*start, f"set {self.position}")
        return (*start, *(f"play {action}" for action in self.history))


def settings_of(game: AnyGame) -> tuple[Setting, ...]:
    """Return the settings to try: every number of seats with the defaults, then with other options.

    One option at a time is changed. Settings that the game refuses as not going together are left out.
    """
    found: dict[Setting, None] = {}
    changes: list[dict[str, str]] = [{}]
    changes += [{o.name: value} for o in game.options for value in o.values if value != o.default]
    for change in changes:
        for seats in game.seat_counts:
            options = {o.name: change.get(o.name, o.default) for o in game.options}
            if _go_together(game, seats, options):
                found[Setting(seats, tuple(options.items()))] = None
    return tuple(found)


def _go_together(game: AnyGame, seats: int, options: dict[str, str]) -> bool:
    try:
        game.settings(seats, options)
    except OptionError:
        return False
    return True
