"""Texts about seeds speak of dice and openings only where there are some."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec import structs

from tests.ratings.pools import results_of
from tourney.games.registry import find_game
from tourney.match.spec import DEFAULT_LIMITS
from tourney.ratings.batch import Batch, rate
from tourney.ratings.counts import Counts
from tourney.ratings.likelihood import Expected, Winners
from tourney.results.texts import (
    evidence_texts,
    limits_texts,
    origin_text,
    pool_notes,
    risk_text,
    sharing_text,
)
from tourney.store.values import CHOSEN, RANDOM, Plan, StoredRun, Tournament


def plan(game: str, plies: int = 0, **more: object) -> Plan:
    made = Plan("cup", game, "1", (), "round-robin", 2, 2, opening_plies=plies, limits=DEFAULT_LIMITS)
    return structs.replace(made, **more)


@pytest.mark.parametrize(
    ("game", "plies", "risk", "shared", "own"),
    [
        ("sage-stones", 0, "the dice", "dice", "dice"),
        ("sage-stones", 2, "the dice and the openings", "dice and opening", "dice and an opening"),
        ("sages-tafl", 2, "the openings", "opening", "an opening"),
    ],
)
def test_seed_decides_dice_and_openings(game: str, plies: int, risk: str, shared: str, own: str) -> None:
    rules = find_game(game)
    assert risk_text(plan(game, plies), rules) == risk
    assert sharing_text(plan(game, plies), rules) == f"the games of a mirrored group share {shared}"
    apart = plan(game, plies, mirrored_dice=False)
    assert sharing_text(apart, rules) == f"every match has {own} of its own"


def test_game_without_dice_and_openings_has_no_risk() -> None:
    rules = find_game("sages-tafl")
    assert (risk_text(plan("sages-tafl"), rules), sharing_text(plan("sages-tafl"), rules)) == ("", "")
    tournament = Tournament(1, plan("sages-tafl"), 7, CHOSEN, StoredRun(), True, "")
    assert origin_text(tournament, rules) == "chosen by a person"


def test_game_that_is_not_installed_may_have_dice() -> None:
    assert risk_text(plan("gone"), None) == "the dice"


def test_origin_is_a_person_chance_or_the_records() -> None:
    rules = find_game("sage-stones")
    chosen = Tournament(1, plan("sage-stones"), 7, CHOSEN, StoredRun(), True, "")
    guessable = "chosen by a person and below 2^64: any bot can find it and compute the dice"
    assert origin_text(chosen, rules) == guessable
    long = replace(chosen, seed=2**64)
    assert origin_text(long, rules) == "chosen by a person: who knows it can compute the dice"
    assert origin_text(replace(chosen, origin=RANDOM), rules) == "random"
    imported = replace(chosen, plan=plan("sage-stones", format="import"))
    assert origin_text(imported, rules) == "imported: each record has its own seed"


def test_luck_that_counts_for_more_than_itself_is_in_points() -> None:
    """More than 100 % of something cannot be subtracted."""
    pool = SimpleNamespace(distinct=2, matches=2)
    batch = cast(Batch, SimpleNamespace(pool=pool, share=1.27, luck={}))
    (sentence,) = evidence_texts(batch, {})
    assert sentence.startswith("For each point that the dice gave, 1.27 points are subtracted")
    assert "%" not in sentence


@pytest.mark.parametrize(
    ("games", "words"), [((10, 14, 20), ["probabilities are rough", "about 20 %"]), ((40, 40, 4), [])]
)
def test_limits_of_numbers_stand_where_they_matter(games: tuple[int, ...], words: list[str]) -> None:
    lines = tuple(SimpleNamespace(games=count) for count in games)
    batch = cast("Batch", SimpleNamespace(ratings=lines, pool=SimpleNamespace(matches=12, prior_elo=211.0)))
    sentences = list(limits_texts(batch))
    assert len(sentences) == len(words)
    assert all(word in sentence for word, sentence in zip(words, sentences, strict=True))


@pytest.mark.parametrize(
    ("seats", "model", "words"),
    [
        (2, Expected, []),
        (3, Expected, ["by share of opponents beaten"]),
        (4, Winners, ["by matches won"]),
    ],
)
def test_notes_say_what_elo_counts_at_more_than_two_seats(
    seats: int, model: type[Expected], words: list[str]
) -> None:
    batch = rate(Counts.of_results(results_of(seats, 5, 40), range(5), seats), model=model)
    notes = pool_notes(batch, dict(enumerate("abcde")))
    lines = [note for note in notes if note.startswith("Elo goes by")]
    assert len(lines) == len(words)
    assert all(word in line for word, line in zip(words, lines, strict=True))
