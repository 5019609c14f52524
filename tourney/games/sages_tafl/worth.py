"""What a search values in Sages Tafl: the weights of ``TaflHeuristics`` and of the core."""

from tourney.games.sages_tafl.board import HEIGHT, RIVER, SQUARES

POINT = 700
_FILES = SQUARES // HEIGHT
APPRENTICE, SKYSHIP, SAGE = range(3)


def worth(kind: int, square: int) -> int:
    """Return what a piece on a square is worth; a sage in its tower is worth 0.

    An apprentice is worth part of a point, more of it on a bank and in the river. A sage is worth three
    points when it leaves, so each of its steps nearer to an end of the river counts.
    """
    file, rank = divmod(square, HEIGHT)
    from_river, from_end = abs(rank - RIVER), min(file, _FILES - 1 - file)
    if kind == SKYSHIP:
        return 250
    if kind == APPRENTICE:
        return 350 + (60 - 10 * from_end if from_river == 0 else 30 if from_river == 1 else 0)
    return 250 * (6 - max(from_river, from_end)) + (100 if from_river == 0 else 0)
