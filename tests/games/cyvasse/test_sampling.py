"""Sampling: random full states that fit an observation."""

import pytest

from tests.games.cyvasse.hands import GAME, A, lay_out, legal, read
from tourney.errors import PositionError
from tourney.seeds import derive, stream


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("steps", [0, 1, 4, 9, 15, 30, 31, 32, 38, 45, 61, 62])
def test_sample_has_same_observation(seat: int, steps: int) -> None:
    state = lay_out(GAME.new(), 7, min(steps, 31))
    state = lay_out(state, 8, steps - 31) if steps > 31 else state
    seen = state.observation(seat)
    for k in range(5):
        sampled = GAME.sample(seen, seat, stream(k, "sample"))
        assert sampled.observation(seat) == seen
        assert sampled.actor == state.actor
        assert read(sampled.position()).position() == sampled.position()
        if state.actor == seat:
            assert legal(sampled) == legal(state)


def test_sample_depends_only_on_the_random_stream() -> None:
    seen = lay_out(GAME.new(), 7, 40).observation(2)
    first, again, other = (GAME.sample(seen, 2, stream(seed, "x")).position() for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_samples_of_hidden_set_up_vary() -> None:
    seen = GAME.new().observation(2)
    fields = [GAME.sample(seen, 2, stream(k, "x")).position().split(" ") for k in range(60)]
    assert len({words[0] for words in fields}) > 40
    assert len({words[3].partition(":")[0] for words in fields}) > 20
    black = [GAME.sample(lay_out(GAME.new()).observation(2), 2, stream(k, "x")).position() for k in range(60)]
    kings = {"".join(text.split(" ")[1].split("/")[5:]).index("K") for text in black}
    assert len(kings) == 3


def test_after_set_up_sample_is_position_itself() -> None:
    assert GAME.sample(A, 2, stream(1, "x")).position() == A


def test_sampled_game_can_be_played_on() -> None:
    state = GAME.sample(lay_out(GAME.new(), 3, 33).observation(1), 1, stream(5, "x"))
    for k in range(200):
        if not state.legal_actions():
            break
        state = state.play(state.legal_actions()[derive(9, k) % len(state.legal_actions())])
    assert state.position().split(" ")[3] not in {"king", "hidden"}


@pytest.mark.parametrize(
    ("seat", "change"),
    [
        (1, ("1 king", "1 hidden")),  # its own set-up is not hidden from it
        (2, ("1 king", "1 king")),  # White's set-up is hidden from Black
        (3, ("1 king", "1 king")),
        (1, ("1 king", "2 hidden")),  # White's own side is not laid
        (2, ("1 king", "1 play")),
        (2, ("????????", "........")),
    ],
)
def test_observation_that_seat_cannot_have_is_refused(seat: int, change: tuple[str, str]) -> None:
    with pytest.raises(PositionError):
        GAME.sample(GAME.new().position().replace(*change), seat, stream(1, "x"))


def test_sample_refuses_full_position_as_blacks_observation() -> None:
    with pytest.raises(PositionError, match="cannot see White's side"):
        GAME.sample(lay_out(GAME.new(), 1, 40).position(), 2, stream(1, "x"))
