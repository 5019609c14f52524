"""Results of games that other programs played: read from PGN, CSV and JSON lines, filtered and counted.

No rules are run: a game is its players, its result, and a few words about it. What cannot be rated is counted
and named by file and line (``tourney.outcomes.foreign_game``). docs/reference/result-files.md has the forms.
"""
