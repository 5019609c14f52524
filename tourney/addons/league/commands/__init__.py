"""``tourney league``: its commands are the modules of this package."""

from tourney.cli.main import command_group

command = command_group(
    __name__,
    {
        "init": "Make the folder of a new league.",
        "night": "Take in bots, play until the end of the night, rate and publish.",
        "status": "Show the state of a league.",
        "submit": "Put a bot into the inbox of a league.",
        "season": "List the seasons with their roots, or close the open one.",
        "withdraw": "Take a bot out of a league.",
        "publish": "Write the site again.",
    },
    """Run a league: take in bots, play every night, rate them, and publish.

A league is a folder. `init` makes it; the other commands run inside it, or name it by --league.
    """,
)
