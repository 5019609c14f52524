"""Batch ratings: one fit of all results at once, whatever their order, with intervals that cover the truth.

Two seats are rated by Davidson's model (win, draw, loss), more by Plackett and Luce's (an order of the
table), both with an effect of the seat and a Gaussian prior. ``tourney.ratings.batch.rate.rate`` makes the
published tables of ``tourney.ratings.batch.counts.Counts``; docs/explanation/ratings.md has every formula.
"""
