"""Ratings: pure functions of the results in schedule order.

Two models rate a whole pool in one fit, whatever the order of its results, with intervals that cover the
truth: Davidson's (win, draw, loss) two seats, Plackett and Luce's (an order of the table) more, both with an
effect of the seat and a Gaussian prior. TrueSkill rates one match after the other. The sequential test
compares two bots. docs/explanation/ratings.md has every formula.
"""
