"""The add-on of courses: private feedback for authors, marks, and one ranking over several tournaments."""

from tourney.plugins import Addon, Command

ADDON = Addon(
    entrant_files={"feedback": "tourney.addons.course.feedback:feedback_files"},
    commands={
        "marks": Command(
            "tourney.addons.course.commands.marks:command",
            "Give marks by thresholds against fixed bots.",
            "Tournaments",
        ),
        "overall": Command(
            "tourney.addons.course.commands.overall:command",
            "Rank the entrants of several tournaments, of any games, in one table.",
            "Tournaments",
        ),
    },
)
