"""The SDK for authors of bots: a bot is a function from a state to an action.

::

    from tourney.bot import run

    def choose(state, turn):
        return turn.pick(state.legal_actions())

    run(choose)

``run`` talks the protocol and keeps the state; ``choose`` is called on the bot's turns. See ``Turn``
for what it gets, and docs/reference/sdk.md for more.

``allot(turn)`` says how many milliseconds to use, and ``parameters()`` which values the parameters of
``bot.toml`` have. ``tourney.bot.search`` has searches for any game, ``tourney.bot.heuristics`` what they know
of each game, and ``tourney.bot.book`` opening books; import them by name.

Imports are light because every match starts its bots again: rules are loaded when a game begins.
"""

from tourney.bot.session import RESIGN, Choose, Session, parameters, run
from tourney.bot.turn import Match, Turn, allot

__all__ = ["RESIGN", "Choose", "Match", "Session", "Turn", "allot", "parameters", "run"]
