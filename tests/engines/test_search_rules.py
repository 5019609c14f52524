"""The rules in C of the search templates: perft, and every position of random games."""

import random
import subprocess
from pathlib import Path

import pytest

from tourney.bots.catalogue.starter import new_bot
from tourney.games.base import CHANCE, AnyState
from tourney.games.registry import find_game
from tourney.games.tree import perft

pytestmark = pytest.mark.compiler

CONSOLE = Path(__file__).parent / "rules_console.c"
GAMES = ("cyvasse", "element", "seven-sages")
COMPILERS = {"c": ("cc", "-std=c11"), "cpp": ("c++", "-std=c++17")}


def compiled(game: str, language: str, folder: Path) -> Path:
    """Compile the console with the rules that the template of a language has; no warning may come."""
    new_bot(folder / "bot", language, game, "search")
    program = folder / "console"
    source = folder / f"console.{language}"
    source.write_text(CONSOLE.read_text("utf-8"))
    words = [*COMPILERS[language], "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    subprocess.run([*words, "-I", str(folder / "bot"), "-o", str(program), str(source)], check=True)
    return program


def answers(program: Path, lines: list[str]) -> list[str]:
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:]
    return done.stdout.splitlines()


def described(state: AnyState, game: str) -> tuple[str, list[str]]:
    """The actor of a state, -1 when it is over, and its actions, with the weights of chance."""
    if state.ranks() is not None:
        return "-1", []
    names = [find_game(game).action_string(action) for action in state.legal_actions()]
    if state.actor == CHANCE:
        names = [f"{name}={weight}" for name, weight in zip(names, state.chance_weights(), strict=True)]
    return str(state.actor), names


@pytest.mark.parametrize("language", COMPILERS)
@pytest.mark.parametrize("game", GAMES)
def test_rules_in_c_agree_in_random_games(game: str, language: str, tmp_path: Path) -> None:
    """The results, too: seats that share the best rank share the win."""
    rules = find_game(game)
    chance = random.Random(7)  # noqa: S311 - games of a test
    lines: list[str] = []
    expected: list[tuple[str, list[str]]] = []
    ends: list[tuple[int, ...]] = []
    for seats in rules.seat_counts:
        for _ in range(6):
            state = rules.new(seats)
            lines.append(f"start {seats}")
            expected.append(described(state, game))
            while (ranks := state.ranks()) is None:
                actions = state.legal_actions()
                weights = state.chance_weights() if state.actor == CHANCE else None
                (action,) = chance.choices(actions, weights)
                state = state.play(action)
                lines.append(rules.action_string(action))
                expected.append(described(state, game))
            ends.append(ranks)
    heard = [line.split() for line in answers(compiled(game, language, tmp_path), lines)]
    assert len(heard) == len(expected)
    results = []
    for line, (actor, *words), (its_actor, names) in zip(lines, heard, expected, strict=True):
        assert actor == its_actor, line
        if actor == "-1":
            results.append(tuple(map(float, words)))
        else:
            assert sorted(words) == sorted(names), line
    for shares, ranks in zip(results, ends, strict=True):
        draw = len(set(ranks)) == 1
        best = [0.5 if draw else (rank == 1) / ranks.count(1) for rank in ranks]
        assert shares == tuple(round(share, 3) for share in best)


STARTS = {"element": (5, 78), "seven-sages": (245, 59_098)}
"""Perft from the start, as the rules pages have it."""


@pytest.mark.parametrize("game", GAMES)
def test_perft_in_c_is_that_of_the_game(game: str, tmp_path: Path) -> None:
    """From the start, and after the first plies of random games, to a depth of two."""
    rules = find_game(game)
    chance = random.Random(3)  # noqa: S311 - games of a test
    counts: list[int | None] = []
    lines: list[str] = []
    for plies in (0, 30, 90):
        state = rules.new()
        lines.append("start 2")
        for _ in range(plies):
            weights = state.chance_weights() if state.actor == CHANCE else None
            (action,) = chance.choices(state.legal_actions(), weights)
            lines.append(rules.action_string(action))
            state = state.play(action)
        counts += [None] * (plies + 1)
        lines += ["perft 1", "perft 2"]
        counts += STARTS[game] if game in STARTS and not plies else (perft(state, 1), perft(state, 2))
    heard = answers(compiled(game, "c", tmp_path), lines)
    pairs = [(int(line), count) for line, count in zip(heard, counts, strict=True) if count is not None]
    assert [line for line, _ in pairs] == [count for _, count in pairs]
