"""The report of a running tournament: its pages say when it was written and reload once they have changed.

Without a server, pages cannot fetch files of their folder, but they can load scripts. So ``data/live.js``
holds the state and the hashes of all pages, and ``assets/live.js`` loads it again and again. Only a report
that is asked to be live depends on the time of writing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tourney.report import text

if TYPE_CHECKING:
    from tourney.report.source import Source

PATH = "data/live.js"
"""The state of the report, as a script that sets ``window.TourneyLive``."""


@dataclass(frozen=True, slots=True)
class Live:
    """A live report: when it was written, in words, and the seconds after which to look for the next one."""

    written: str
    seconds: int


def is_over(source: "Source") -> bool:
    """Return whether the tournament is finished."""
    return source.ended


def left_to_play(sources: "Sequence[Source]") -> str:
    """Return how much is still to play, in words."""
    left = sum(source.progress.rows - source.progress.done for source in sources)
    if not left and all(map(is_over, sources)):
        return "All matches are played"
    more = "" if all(source.tournament.complete for source in sources) else ", and the rounds not drawn yet"
    verb = "is" if left == 1 else "are"
    return f"{text.count(left, 'match', 'matches')} {verb} still to play{more}"


def note(live: Live, sources: "Sequence[Source]") -> str:
    """Return what pages say."""
    return f"Written {live.written}. {left_to_play(sources)}."


def note_of_many(live: Live | None, sources: "Sequence[Source]") -> str | None:
    """Return what the page of several tournaments says, or None if it is not live or all are over."""
    return None if live is None or all(map(is_over, sources)) else note(live, sources)


def state(live: Live, sources: "Sequence[Source]", hashes: Mapping[str, str]) -> bytes:
    """Return the content of ``data/live.js``; ``hashes`` are those of all files by path.

    Pages of matches are left out: they do not reload.
    """
    pages = {
        path: content[:8]
        for path, content in sorted(hashes.items())
        if path.endswith(".html") and "matches" not in path.split("/")[:-1]
    }
    data = {
        "said": note(live, sources),
        "over": all(map(is_over, sources)),
        "seconds": live.seconds,
        "pages": pages,
    }
    dumped = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return f"window.TourneyLive={dumped};\n".encode("ascii")
