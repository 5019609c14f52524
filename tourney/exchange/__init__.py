"""Tournaments that leave a database and come into one, and results that other programs played.

Results are read from PGN, CSV and JSON lines. No rules are run: a game is its players, its result, and a few
words about it. What cannot be rated is counted and named by file and line: ``tourney.exchange.foreign_game``;
docs/reference/result-files.md has the forms.
"""
