"""The applications that compare bots: two with each other, one with a ladder, one with baselines."""
