"""Small files of results for tests."""

from collections.abc import Iterable
from pathlib import Path

from tourney.exchange.foreign_game import ForeignGame, Problems
from tourney.exchange.reading import Filter, read_files
from tourney.exchange.tally import Tally

MOVES = "1. e4 {+0.1/8 0.1s} e5"


def pgn(*games: tuple[str, str, str], moves: str = MOVES, **tags: str) -> str:
    """Return games (white, black, result) as PGN; each tag applies to all games."""
    return "".join(one(*game, moves=moves, **tags) for game in games)


def one(
    white: str, black: str, result: str, *, moves: str = MOVES, end: str | None = None, **tags: str
) -> str:
    """One game; ``end`` is the result after the moves, if it is another."""
    head = {"Event": "test", "White": white, "Black": black, "Result": result, **tags}
    lines = "".join(f'[{name} "{value}"]\n' for name, value in head.items())
    return f"{lines}\n{moves} {result if end is None else end}\n\n"


def read(folder: Path, *texts: str | bytes, filter_: Filter | None = None) -> tuple[Tally, Problems]:
    """Read texts, a file each, named ``0``, ``1`` and so on."""
    paths = []
    for number, text in enumerate(texts):
        path = folder / str(number)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(path)
    return read_files(paths, filter_ or Filter())


def groups(tally: Tally, *, joined: bool = False) -> list[tuple[list[tuple[str, ...]], int]]:
    """The groups with players' names and ranks, sorted."""
    names = tally.players
    return sorted(
        (
            sorted(
                (*(names[player] for player in kind.players), "".join(map(str, kind.ranks))) for kind in kinds
            ),
            times,
        )
        for kinds, times in tally.groups(joined=joined)
    )


def damaged(problems: Problems) -> list[tuple[str, int]]:
    """The kinds and lines of all places."""
    return [(place.kind, place.line) for place in problems.places]


def games(found: Iterable[tuple[int, ForeignGame]]) -> list[ForeignGame]:
    """The games alone."""
    return [game for _, game in found]
