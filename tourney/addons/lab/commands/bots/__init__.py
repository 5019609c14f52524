"""The commands of ``tourney bots`` that the lab adds."""
