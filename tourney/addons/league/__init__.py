"""The add-on of leagues: a folder that takes in submissions, plays every night, and keeps seasons."""

from tourney.plugins import Addon, Command

ADDON = Addon(
    folder_checks={"league.toml": "tourney.addons.league.check:LeagueCheck"},
    commands={
        "league": Command(
            "tourney.addons.league.commands:command",
            "Take in bots, play every night, and keep seasons.",
            "Leagues",
        )
    },
)
