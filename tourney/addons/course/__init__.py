"""The add-on of courses: private feedback for authors, marks, and one ranking over several tournaments."""

from tourney.plugins import Addon

ADDON = Addon(entrant_files={"feedback": "tourney.addons.course.feedback:feedback_files"})
