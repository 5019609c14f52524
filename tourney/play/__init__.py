"""A person at a terminal against bots.

The person is a channel like any other (``person``): it is sent what a bot on that seat would be sent, so
nothing can be shown that the seat may not see. ``words`` reads what is typed, ``listing`` and ``story`` lay
out actions and what happened, ``terminal`` is the seam to the screen. ``kept`` gives decisions again after
an undo, and ``session`` plays the match with all of it.
"""
