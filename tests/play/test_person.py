"""The history of a game has a line for each turn."""

from tourney.play.person import SHOWN_LINES, Happening, recent, story
from tourney.protocol import Play, Reveal, Withdrawn

NAMES = ("", "1 White", "2 Black, greedy")


def name_of(seat: int) -> str:
    return NAMES[seat]


def plays(*moves: str) -> list[Happening]:
    return [Play(int(move[0]), move[2:]) for move in moves]


def test_turn_is_one_line_with_its_chance_outcomes() -> None:
    entries = plays("1 draw-2", "0 stones-AE", "1 A-e5", "1 end", "2 draw-0", "2 end")
    assert story(entries, name_of, 80) == [
        "1 White: draw-2 [stones-AE] A-e5 end",
        "2 Black, greedy: draw-0 end",
    ]


def test_dice_belong_to_the_next_seat() -> None:
    """Dice belong to the seat that plays after them; dice before no action stand alone."""
    entries = plays("0 roll-111", "1 3a", "0 roll-123", "2 5c", "0 roll-666")
    assert story(entries, name_of, 80) == [
        "1 White: [roll-111] 3a",
        "2 Black, greedy: [roll-123] 5c",
        "[roll-666]",
    ]


def test_hidden_actions_are_counted_and_revealed_in_order() -> None:
    entries = [
        *plays("1 king-b5", "2 ?", "2 ?", "2 e4", "2 ?"),
        Reveal(2, "king-h3"),
        Reveal(2, "tile-4"),
    ]
    assert story(entries, name_of, 80) == [
        "1 White: king-b5",
        "2 Black, greedy: (2 hidden actions) e4 (1 hidden action)",
        "2 Black, greedy opens: king-h3 tile-4",
    ]


def test_withdrawn_seat_is_named_and_gets_no_dice() -> None:
    entries = [*plays("0 roll-111"), Withdrawn(2), *plays("2 3a")]
    assert story(entries, name_of, 80) == [
        "2 Black, greedy plays no more; the referee plays random actions for it",
        "2 Black, greedy: [roll-111] 3a",
    ]


def test_long_turns_are_folded_between_actions() -> None:
    lines = story(plays(*(f"1 a{k}-b{k}" for k in range(10, 30))), name_of, 40)
    assert all(len(line) <= 40 for line in lines)
    assert " ".join(line.strip() for line in lines) == "1 White: " + " ".join(
        f"a{k}-b{k}" for k in range(10, 30)
    )


def test_only_the_end_of_a_long_history_is_shown() -> None:
    lines = [str(k) for k in range(100)]
    assert recent(lines) == [
        f"({100 - SHOWN_LINES} lines left out; `history` has them)",
        *lines[-SHOWN_LINES:],
    ]
    assert recent(lines[: SHOWN_LINES + 1]) == lines[: SHOWN_LINES + 1]
