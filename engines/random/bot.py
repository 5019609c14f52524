"""Plays any legal action, each as likely as the others, drawn from the bot's seed."""

from tourney.bot import Turn, run


def choose(legal: tuple[str, ...], turn: Turn) -> str:
    """Return one of the legal actions."""
    return turn.pick(legal)


run(choose, sees="legal", name="random", version="1.0")
