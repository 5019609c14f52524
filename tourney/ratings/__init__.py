"""Ratings: functions of the results in schedule order, and of nothing else."""
