"""What `tourney bots new` writes beats `random` or `greedy`, in the same games in every language."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.engines.conftest import room_of
from tourney.bots.catalogue.command import own_words
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.starter import BEATEN, LANGUAGES, new_bot, searches
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.errors import BotError
from tourney.match.spec import Entrant, Limits, MatchSpec

pytestmark = pytest.mark.compiler

LIMITS = Limits(move_ms=60_000, startup_ms=60_000)
Actions = tuple[tuple[int, str], ...]
Reference = Callable[[str], tuple[int, list[Actions]]]

TABLES = {
    "cyvasse": ((2, 2),),
    "element": ((2, 2), (4, 2)),
    "sage-stones": ((2, 6), (3, 3)),
    "sages-tafl": ((2, 2),),
    "seven-sages": ((2, 2),),
}
"""By game: seats, and the number of matches with them."""
MOST_LOST = {"element": 1, "sage-stones": 2}
"""The matches that a simple bot may lose or draw; without an entry none."""


def write(template: str, language: str, game: str, folder: Path, *, wasm: bool = False) -> Path:
    """Write a bot; skip the test if this machine cannot build or start it."""
    bot = folder / f"{template}-{language}{'-wasm' * wasm}"
    new_bot(bot, language, game, template, wasm=wasm)
    manifest = read_manifest((bot / "bot.toml").read_text("utf-8"), "bot.toml")
    try:
        own_words(manifest.build or manifest.command, manifest.name)
    except BotError as error:
        pytest.skip(f"this machine has no {language}: {error}")
    return bot


def matches(
    store: BotStore, bot: Path, game: str, opponent: str, tables: tuple[tuple[int, int], ...], *args: str
) -> tuple[int, list[Actions]]:
    """Play a bot at each seat in turn; return the matches that it loses or draws, and the actions of all."""
    lost, actions = 0, []
    with room_of(store, reuse=True) as room:
        for seats, count in tables:
            for number in range(count):
                entrants = [entrant(store, opponent, f"other-{k}") for k in range(seats)]
                seat = number % seats
                entrants[seat] = entrant(store, str(bot), "new", *args)
                played = room.play(MatchSpec(game, (), tuple(entrants), number // seats, LIMITS))
                assert played.outcome.faults == (), played.lines(seat + 1, "note")
                ranks = played.outcome.ranks
                lost += ranks[seat] != 1 or ranks.count(1) != 1
                actions.append(played.record.actions)
    return lost, actions


def entrant(store: BotStore, reference: str, name: str, *args: str) -> Entrant:
    bot = resolve_bot(reference, store, Path("/"))
    return Entrant(name, bot.manifest.name, bot.manifest.version, args, bot.digest)


@pytest.fixture(scope="module")
def in_shell(shipped: BotStore, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """What the shell's bot plays, to compare with the other languages."""

    @cache
    def play(game: str) -> tuple[int, list[Actions]]:
        bot = write("simple", "shell", game, tmp_path_factory.mktemp("shell"))
        return matches(shipped, bot, game, BEATEN["simple"], TABLES[game])

    return play


@pytest.mark.parametrize("game", TABLES)
def test_simple_bot_in_shell_beats_random(game: str, in_shell: Reference) -> None:
    lost, _ = in_shell(game)
    assert lost <= MOST_LOST.get(game, 0)


@pytest.mark.parametrize("game", TABLES)
def test_simple_bot_in_python_beats_random(game: str, shipped: BotStore, tmp_path: Path) -> None:
    bot = write("simple", "python", game, tmp_path)
    lost, _ = matches(shipped, bot, game, BEATEN["simple"], TABLES[game])
    assert lost <= MOST_LOST.get(game, 0)


@pytest.mark.parametrize("game", TABLES)
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one not in ("python", "shell")])
def test_simple_bot_plays_alike_in_every_language(
    language: str, game: str, in_shell: Reference, shipped: BotStore, tmp_path: Path
) -> None:
    bot = write("simple", language, game, tmp_path)
    assert matches(shipped, bot, game, BEATEN["simple"], TABLES[game]) == in_shell(game)


SEARCHES = [
    # language, game, matches of two seats, lost or drawn at most, arguments
    ("python", "cyvasse", 2, 0, "--nodes=10"),
    ("python", "element", 3, 1, "--nodes=20"),
    ("python", "sage-stones", 8, 3, "--nodes=10"),
    ("python", "sages-tafl", 4, 1, "--nodes=30"),
    ("python", "seven-sages", 2, 0, "--nodes=6"),
    ("c", "cyvasse", 2, 0, "--playouts=60"),
    ("c", "element", 2, 0, "--playouts=60"),
    ("c", "sage-stones", 20, 8, ""),
    ("c", "sages-tafl", 4, 1, "--nodes=3000"),
    ("c", "seven-sages", 2, 0, "--playouts=60"),
    ("cpp", "cyvasse", 2, 0, "--playouts=60"),
    ("cpp", "element", 2, 0, "--playouts=60"),
    ("cpp", "seven-sages", 2, 0, "--playouts=60"),
    ("javascript", "sage-stones", 10, 4, "--playouts=10"),
]


@pytest.mark.parametrize(("language", "game", "count", "lost", "argument"), SEARCHES)
def test_search_bot_beats_greedy(
    language: str, game: str, count: int, lost: int, argument: str, shipped: BotStore, tmp_path: Path
) -> None:
    bot = write("search", language, game, tmp_path)
    found, _ = matches(shipped, bot, game, BEATEN["search"], ((2, count),), *argument.split())
    assert found <= lost


def test_every_search_template_is_played() -> None:
    played = {(language, game) for language, game, *_ in SEARCHES}
    assert played == set(searches())
