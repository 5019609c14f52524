"""The words and abbreviations of the report, with a sentence each: for tooltips and the page of methods."""

from collections.abc import Mapping
from typing import Final

TERMS: Final[Mapping[str, str]] = {
    "Elo": "Strength by one fit to all matches: 100 more mean 64 % of the points, 200 more 76 %.",
    "fixed 95 %": "About 95 of 100 such intervals hold the bot's true Elo, at the end of the tournament.",
    "95 % at every look": "In 95 of 100 tournaments such an interval holds the true Elo at every moment.",
    "too few games": "The bot won or lost nearly all, so that its Elo is a guess: its interval says nothing.",
    "Ranks": "The ranks by strength that the bot may truly have, with 95 % confidence.",
    "P(best)": "Probability that the bot is the strongest of all, in percent.",
    "LOS": "Likelihood of superiority: the probability that one bot is stronger than another.",
    "Perf.": "Performance: the Elo at which the score against these opponents would be the expected one.",
    "mu": "TrueSkill's estimate of the bot's skill: the mean of what is likely.",
    "sigma": "TrueSkill's standard deviation of the skill: two of them on each side hold about 95 %.",
    "mu\N{MINUS SIGN}3sigma": "TrueSkill's conservative rating: very likely the bot's skill is higher.",
    "residual": "Points less those that the ratings expect, in standard deviations; over 2 is rare.",
    "root": "The digest of the plan and of all records: whoever has it can prove that no result was changed.",
    "bye": "A round without an opponent, which counts as a win.",
    "void": "A match that counts for nothing, because the machine failed and not a bot.",
    "fault": "An illegal action, a time-out, a crash or a broken protocol: it loses the match.",
}
"""Tie-breaks are not here: the format says what they mean."""
