"""A bot that guesses the tournament's seed from the seed in its ``game`` line."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.command import invoke
from tourney.run.engine.recorder import spec_of
from tourney.seeds import bot_seed, derive
from tourney.store.database import Database

FORMS = ("%Y%m%d", "%d%m%Y", "%m%d%Y", "%Y%d%m", "%y%m%d", "%d%m%y", "%Y%j", "%m%d", "%d%m")
SMALL = 20_000
"""The least numbers, which a person may choose; ``benchmarks.exploits guess`` tries the first 2^32."""


def guesses() -> Iterator[int]:
    """Small numbers, and each date from 1970 to 2100 in several writings and as the seconds of its start."""
    yield from range(SMALL)
    day = date(1970, 1, 1)
    while day.year <= 2100:
        yield from {int(day.strftime(form)) for form in FORMS}
        yield int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
        day += timedelta(days=1)


def seen_by_bots(folder: Path, name: str, seed: str) -> set[int]:
    """Begin a tournament; the seeds that the bot on seat 1 of its first matches reads."""
    file = folder / f"{name}.toml"
    lines = [
        f'name = "{name}"',
        'game = "sage-stones"',
        'format = "round-robin"',
        'bots = ["random", "greedy"]',
    ]
    file.write_text("\n".join([*lines, seed, ""]), "ascii")
    store = ["--db", str(folder / "cup.db"), "--bots", str(folder / "bots")]
    assert invoke("commit", str(file), *store).exit_code == 0
    with Database.open(str(folder / "cup.db")) as database:
        made = database.tournaments.find(name)
        assert made is not None
        entrants = database.tournaments.entrants(made.id)
        rows = [row for _, row in database.schedules.rows(made.id)][:4]
        return {bot_seed(spec_of(made, entrants, row).seed, 1) for row in rows}


@pytest.mark.slow
def test_guesses_find_chosen_seeds_only(tmp_path: Path) -> None:
    """A date, a small number and a time are found; the seeds of tournaments that choose none are not."""
    chosen = {20261120: "dated", 42: "small", 1795132800: "timed", 31121999: "turned"}
    seen = {name: seen_by_bots(tmp_path, name, f"seed = {seed}") for seed, name in chosen.items()}
    drawn = [seen_by_bots(tmp_path, f"drawn-{k}", "") for k in range(3)]
    wanted = set[int]().union(*seen.values(), *drawn)
    found = set[int]()
    for guess in guesses():
        # The game has dice, so no two matches share a seed unless the file says so.
        if derive(derive(guess, "match", 1, 1, 1, 1), "bot", 1) in wanted:
            found.add(guess)
    assert found == {*chosen}
