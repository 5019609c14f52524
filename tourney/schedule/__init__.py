"""Schedules: results so far to next pairings, as pure functions."""
