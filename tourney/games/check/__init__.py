"""The property suite behind ``tourney check-game``: random games, and properties tried in their states."""
