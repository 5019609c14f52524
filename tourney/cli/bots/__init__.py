"""``tourney bots``: its commands are the modules of this package."""

from tourney.cli.main import command_group

command = command_group(
    __name__,
    {
        "add": "Copy bots into the bot store.",
        "check": "Test a bot in games against `random`.",
        "list": "List the bots in the bot store and the bots that ship with Tourney.",
        "new": "Create a bot to start from, in the new folder NAME.",
        "remove": "Remove a bot from the bot store, or restore it.",
        "show": "Show a bot's manifest, digest, files and build state.",
    },
    """Create, add, list, show, check, test, promote and remove bots.

A bot is an executable file, or a folder or .zip file with a bot.toml. The bot store keeps every bot that
you add or play with, under the digest of its files, so that matches can be replayed later.
    """,
)
