"""``tourney db``: its commands are the modules of this package."""

from tourney.cli.main import command_group

command = command_group(
    __name__,
    {
        "archive": "Move the records of a finished tournament to a compressed file.",
        "backup": "Copy an SQLite database to a new file, even while a run is active.",
        "check": "Check the database for damage: its pages, references and column values.",
        "copy": "Copy the database to an empty one at URL, which may be of another kind.",
        "merge": "Bring the tournaments of another database into this one.",
        "remove": "Move a tournament out of the database, to a file of its own.",
        "rename": "Change the name of a tournament.",
        "unarchive": "Bring the records of an archived tournament back.",
        "upgrade": "Upgrade the database to the schema of this version of Tourney.",
        "withdraw": "Withdraw the matches that a host played, and everything drawn from them.",
    },
    "Upgrade, back up, check, copy and merge databases; archive, rename and remove tournaments.",
)
