"""Ratings: pure functions of the results in schedule order.

One model rates a whole pool in one fit, whatever the order of its results, with intervals that cover the
truth: a difference of Elo is an expected score, at any number of seats. TrueSkill rates one match after the
other. The sequential test compares two bots. docs/explanation/ratings.md has the formulas.
"""
