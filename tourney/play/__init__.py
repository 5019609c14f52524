"""A person at a terminal against bots.

The person is a channel like any other (``person``) and receives the lines of a bot on that seat, so the
terminal cannot show what the seat may not see. ``terminal`` is the seam to the screen and parses typed
lines, and ``person_match`` plays the match and replays kept decisions after an undo.
"""
