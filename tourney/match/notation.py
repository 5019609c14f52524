"""A record's actions as people write them."""

from collections.abc import Sequence

from tourney.errors import GameError
from tourney.games.registry import known_game
from tourney.match.record import Record


def written_actions(record: Record) -> Sequence[str]:
    """The actions in their game's notation; unchanged if the rules are missing or one is illegal."""
    actions = [action for _, action in record.actions]
    game = known_game(record.game)
    if game is None or game.rules != record.rules:
        return actions
    try:
        return game.notation(actions, *game.settings(len(record.seats), record.options))
    except (GameError, LookupError):
        return actions
