"""Cores at the rare ends of games, with histories, and with codes that are illegal."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.games.sages_tafl import positions as tafl
from tests.games.test_core_base import check_same, follow, new
from tests.support.command import ROOT
from tourney.games import CHANCE, OVER, find_game
from tourney.games.base import AnyGame, AnyState
from tourney.games.compiled import use_plain

TAFL, STONES = find_game("sages-tafl"), find_game("sage-stones")

FUZZ = """
import sys
from tourney.games import find_game
from tourney.games.compiled import core_names, use_plain
from tourney.games import stream
rounds = int(sys.argv[1])
use_plain(rounds < 10)
for name in core_names():
    game = find_game(name.replace("_", "-"))
    codes = set()
    for seed in range(3):
        scratch = game.scratch(game.new(game.seat_counts[-1]))
        for ply in range(40):
            codes.update(scratch.actions())
            scratch.playout(100 * seed + ply, 1)
    codes = sorted(codes)
    for seed in range(rounds):
        draw = stream(seed, name.replace('_', '-'))
        scratch = game.scratch(game.new(game.seat_counts[seed % len(game.seat_counts)]))
        for ply in range(100):
            try:
                scratch.play(codes[draw(len(codes))])
            except ValueError:
                pass
            if ply % 9 == 0:
                scratch.values(), scratch.weights(), scratch.key(), scratch.ranks(), scratch.candidates()
                scratch.copy().playout(ply, 40)
print("alive")
"""


@pytest.fixture(params=[True, False], ids=["plain", "compiled"], autouse=True)
def plain(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Each form of the cores; the second one is plain too where nothing is compiled."""
    use_plain(bool(request.param))
    yield bool(request.param)
    use_plain(None)


def check_line(game: AnyGame, state: AnyState, words: str) -> AnyState:
    """Play actions in a state and in a scratch, and load another scratch at each; return the last state."""
    scratch = new(game, state)
    for word in words.split():
        action = game.parse_action(word)
        scratch.play(int(action))
        state = state.play(action)
        check_same(game, state, scratch, True)
        check_same(game, state, new(game, state), True)
    return state


def test_core_of_sages_tafl_counts_repetitions() -> None:
    there_and_back = "c2-c3 c8-c7 c3-c2 c7-c8"
    state = check_line(TAFL, TAFL.new(), f"{there_and_back} {there_and_back}")
    assert (state.actor, state.reason()) == (OVER, "repetition")
    later = check_line(TAFL, TAFL.new(), f"d2-d3 d8-d7 {there_and_back}")
    assert later.actor != OVER
    assert check_line(TAFL, later, there_and_back).reason() == "repetition"


def test_core_of_sages_tafl_goes_on_from_history() -> None:
    """A scratch that is loaded in the middle of a game knows the boards before."""
    state = TAFL.new()
    for word in ["c2-c3", "c8-c7", "c3-c2", "c7-c8", "c2-c3", "c8-c7", "c3-c2"]:
        state = state.play(TAFL.read_action(state, word))
    assert check_line(TAFL, state, "c7-c8").reason() == "repetition"
    assert check_line(TAFL, state, "c7-c6").actor != OVER


@pytest.mark.parametrize(
    ("position", "words", "reason"),
    [
        (tafl.text("Ad5", points="4:4"), "d5-off", "points"),
        (tafl.text("sh5", seat=2, towers="T", points="4:2"), "h5-off", "points"),
        (tafl.text("Ad5", towers="T", points="4:4", ply=399, quiet=99), "d5-off", "points"),
        (tafl.text("Ad4 ad6"), "pass pass", "passes"),
        (tafl.text("ad1 ad2 ae1 ae2 aa9", points="2:0"), "pass a9-b9 pass b9-a9 pass", ""),
        (tafl.text("Ad3 ae3 Ff1 ah9", points="0:0"), "f1-f3", "out-of-reach"),
        (tafl.text("Ad3 ae3 Ff1 ah9", points="0:1"), "f1-f3", ""),
        (tafl.text("ae2 fb3 Fh1 Aa7"), "tower-d2 b3-c2 h1-g2 c2-d3 g2-h1 d3-b3 " * 2, "repetition"),
        (tafl.text("Fa1 Fc3 fh9"), "a1-c1 h9-g8 c3-a1 g8-f9 c1-c3 f9-h9 " * 2, "repetition"),
        (tafl.text("Fb2 fh9"), "b2-c3 h9-g8 c3-b4 g8-h9 b4-b2 h9-g8 b2-a1 g8-f9 a1-b2 f9-h9", ""),
        (tafl.text("Aa3 se3 Af3", towers="T", quiet=99, ply=99), "a3-d3", ""),
        (tafl.text("Ac1 ah9", quiet=99, ply=120), "c1-c2", "quiet"),
        (tafl.text("Ac1 ah9", quiet=3, ply=399), "c1-c2", "length"),
    ],
)
def test_core_of_sages_tafl_ends_as_state(position: str, words: str, reason: str) -> None:
    assert check_line(TAFL, tafl.read(position), words).reason() == reason


@pytest.mark.parametrize(("seats", "play_on"), [(2, "no"), (3, "yes"), (4, "yes"), (4, "no")])
def test_core_of_sage_stones_plays_all_options_to_the_end(seats: int, play_on: str) -> None:
    for seed in range(12):
        state: AnyState = STONES.new(seats, {"stones": str(3 + seed), "play-on": play_on})
        scratch = new(STONES, state)
        state = follow(STONES, state, scratch.trace(seed, STONES.max_actions), scratch)
        assert state.actor == OVER
        check_same(STONES, state, scratch, False)


@pytest.mark.parametrize("roll", ["roll-111", "roll-222", "roll-123", "roll-122 5a"])
def test_core_of_sage_stones_wipes_full_boards(roll: str) -> None:
    columns = ["123412341", ".........", ".........", "341234123", *["........."] * 3]
    hands = ",".join(str(15 - "".join(columns).count(colour)) for colour in "1234")
    text = f"{'/'.join(columns)} 1 roll {hands} 40 seats=4,stones=15,play-on=no"
    state = STONES.parse_position(text, *STONES.settings(4, {"stones": "15"}))
    assert state.actor == CHANCE
    after = check_line(STONES, state, roll)
    assert after.position().startswith(".") == (roll in {"roll-111", "roll-222"})


def test_core_of_sage_stones_stops_at_500_rolls() -> None:
    text = "1......../........./........./........./........./........./......... 2 roll 9,10,10 499"
    for play_on in ("no", "yes"):
        options = {"stones": "10", "play-on": play_on}
        state = STONES.parse_position(
            f"{text} seats=3,stones=10,play-on={play_on}", *STONES.settings(3, options)
        )
        for word in ("roll-123", "roll-111 3b", "roll-122 5c"):
            assert check_line(STONES, state, word).reason() == "rolls"


def first_codes(game: AnyGame, state: AnyState, playouts: int) -> list[int]:
    """The first action of each of a number of playouts."""
    start = new(game, state)
    scratch = start.copy()
    found = []
    for seed in range(playouts):
        scratch.copy_from(start)
        found += scratch.trace(seed, 1)
    return found


def test_playouts_draw_chance_by_weight() -> None:
    """Of 2,700 first rolls in Sage Stones about 600 are 1-2-3; the drawn stones follow the bag."""
    rolls = first_codes(STONES, STONES.new(), 2_700)
    assert 520 < rolls.count(STONES.parse_action("roll-123")) < 680
    assert 60 < rolls.count(STONES.parse_action("roll-111")) < 145
    element = find_game("element")
    state = element.new()
    drawn = first_codes(element, state.play(element.read_action(state, "draw-1")), 1_200)
    assert all(240 < drawn.count(element.parse_action(f"stones-{letter}")) < 360 for letter in "AEFW")


def test_playouts_choose_uniformly() -> None:
    """Each of the 22 first actions of Sages Tafl comes up about as often."""
    first = first_codes(TAFL, TAFL.new(), 2_200)
    counts = [first.count(action) for action in TAFL.new().legal_actions()]
    assert len(counts) == 22
    assert all(60 < count < 145 for count in counts)


def test_illegal_codes_never_crash(plain: bool) -> None:
    """A bot that plays them gets a position without meaning; a broken process would be a broken match."""
    command = [sys.executable, "-c", FUZZ, "1" if plain else "30"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr
