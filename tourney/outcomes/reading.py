"""Read files of results of any form into a tally, through filters."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from tourney.errors import UsageError
from tourney.outcomes.game import Game
from tourney.outcomes.opening import chunks, is_compressed, label_of
from tourney.outcomes.pgn import read_pgn
from tourney.outcomes.problems import Problems
from tourney.outcomes.table import read_csv, read_json_lines
from tourney.outcomes.tally import Tally, without_rare
from tourney.parsing import parse_json

Reader = Callable[[Iterable[bytes], str, Problems], Iterator[tuple[int, Game]]]

READERS: Final[dict[str, Reader]] = {"pgn": read_pgn, "csv": read_csv, "jsonl": read_json_lines}
"""The readers by the name of their form."""
_KEYS: Final = frozenset(("white", "White", "players", "entrants"))
STEP: Final = 20_000
"""Games between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What games to take; empty values take all.

    ``since`` and ``until`` are days (``YYYY-MM-DD``), both included. ``players``: both or all players are
    among these; ``without``: none is. ``least``: games that a player must have. ``forfeits`` "void" leaves
    out games with a fault. With ``pairs`` False each game counts by itself.
    """

    time_controls: frozenset[str] = frozenset()
    since: str = ""
    until: str = ""
    players: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    least: int = 0
    pairs: bool = True

    def refuses(self, game: Game) -> str:
        """Return the option that leaves out a game, or ""."""
        if self.time_controls and game.time_control not in self.time_controls:
            return "--time-control"
        if self.since and not (game.date and game.date >= self.since):
            return "--since"
        if self.until and not (game.date and game.date <= self.until):
            return "--until"
        if self.players and not self.players.issuperset(game.players):
            return "--player"
        if self.without and not self.without.isdisjoint(game.players):
            return "--without"
        return ""


def form_of(first: bytes) -> str:
    """Return the form of a file by its first bytes: ``pgn``, ``jsonl`` or ``csv``."""
    text = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return "jsonl"
    return "pgn" if text[:1] in (b"[", b"%", b";") else "csv"


def holds_results(first: bytes) -> bool:
    """Return whether a file that begins so has results, and not records or a tournament of Tourney."""
    if is_compressed(first) or not (first.strip() and form_of(first) == "jsonl"):
        return bool(first.strip())
    try:
        value = parse_json(first.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0])
    except ValueError:
        return False
    return not str(value.get("format", "")).startswith("tourney") and not value.keys().isdisjoint(_KEYS)


def game_of(problems: Problems) -> str:
    """Return the name of the game if none is given: files of PGN are of chess."""
    return "chess" if problems.forms == {"pgn"} else "unknown"


def read_files(
    paths: Sequence[Path],
    filter_: Filter,
    *,
    form: str | None = None,
    ordered: bool = False,
    labels: Mapping[Path, str] | None = None,
    step: Callable[[int], None] = lambda _: None,
) -> tuple[Tally, Problems]:
    """Return the games of some files, and all that is wrong with the others.

    ``form`` is a name of ``READERS`` (default: by the first bytes of each file); ``ordered`` as of ``Tally``;
    ``labels`` name files in messages (default: their paths); ``step`` is called with the number of games now
    and then. Raises InputError for a file that cannot be read, and UsageError if no game is left.
    """
    tally, problems = Tally(ordered=ordered), Problems()
    seen_controls: dict[str, int] = {}
    seats = 0
    for scope, path in enumerate(paths):
        label = (labels or {}).get(path) or label_of(path)
        with chunks(path, problems, label) as blocks:
            first = next(blocks, b"")
            if not first:
                continue
            problems.forms.add(form or form_of(first))
            reader = READERS[form or form_of(first)]
            for line, game in reader(chain([first], blocks), label, problems):
                if problems.read % STEP == 0:
                    step(problems.read)
                if filter_.time_controls:
                    seen_controls[game.time_control] = seen_controls.get(game.time_control, 0) + 1
                if why := filter_.refuses(game):
                    problems.add("filter", label, line)
                    problems.filtered[why] += 1
                    continue
                seats = seats or len(game.players)
                if len(game.players) != seats:
                    problems.add("seats", label, line, f"{len(game.players)}, not {seats}")
                    continue
                tally.add(game if filter_.pairs else game._replace(pair=""), scope)
    if filter_.least > 1:
        tally, gone = without_rare(tally, filter_.least)
        if gone:
            problems.counts["filter"] += gone
            problems.filtered["--min-games"] += gone
    if not tally.games:
        raise UsageError(_nothing(problems, seen_controls))
    return tally, problems


def _nothing(problems: Problems, controls: dict[str, int]) -> str:
    if not problems.read:
        return "there is no game in these results"
    why = "; ".join(problems.sentences(1))
    if controls and problems.counts["filter"]:
        known = sorted(controls.items(), key=lambda item: (-item[1], item[0]))[:5]
        why += f" (time controls there: {', '.join(name or 'none' for name, _ in known)})"
    return f"none of {problems.read:,} games can be rated: {why}"
