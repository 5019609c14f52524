"""JSON documents on matches: shown, verified and played again."""

from typing import Any, Literal

from tourney.schema import Document, Part


class LogEntry(Part, frozen=True, kw_only=True):
    """A line of the log. `ply` counts the actions before it; `seat` is 0 for the referee."""

    ply: int
    seat: int
    kind: str
    text: str


class Board(Part, frozen=True, kw_only=True):
    """The board after `ply` actions: its position string, and the lines of a drawing."""

    ply: int
    position: str
    lines: tuple[str, ...]


class MatchDocument(Document, frozen=True, kw_only=True):
    """A match. `record` is described in docs/reference/record.md.

    `measured` are times, host and protections, which lie outside the record's digest. `winners` are the seats
    of rank 1. `boards` are those that the options ask for, else the last one; empty if the game's rules are
    not installed. `digest_holds`: the record has not been altered. `damaged`: why log or measurements are
    missing.
    """

    format: Literal["tourney-match/1"] = "tourney-match/1"
    label: str
    digest_holds: bool
    winners: tuple[int, ...]
    record: dict[str, Any]
    measured: dict[str, Any]
    log: tuple[LogEntry, ...]
    boards: tuple[Board, ...]
    damaged: tuple[str, ...]


class FoundFlaw(Part, frozen=True, kw_only=True):
    """What does not hold, and of what; `action` is the number (from 1) of the action in question, if any."""

    where: str
    what: str
    action: int | None


class WholeTournament(Part, frozen=True, kw_only=True):
    """A tournament as a whole: whether its rounds follow from its plan and results, and all are played.

    `unfinished` says why it is not whole yet, though nothing is wrong.
    """

    tournament: str
    whole: bool
    unfinished: str | None
    rounds: int
    matches: int


class VerifyDocument(Document, frozen=True, kw_only=True):
    """Whether records hold: `checked` of them were, `wrong` do not.

    `failures` are sentences on what does not hold, `findings` its parts. `tournaments` are those of `--all`.
    `root_of` is the tournament with the root that was given, or null. `entry` is the number of the proof's
    entry among `entries`. `notes` are sentences on what could not be checked here.
    """

    format: Literal["tourney-verify/1"] = "tourney-verify/1"
    holds: bool
    checked: int
    wrong: int
    failures: tuple[str, ...]
    findings: tuple[FoundFlaw, ...]
    tournaments: tuple[WholeTournament, ...]
    root_of: str | None
    entry: int | None
    entries: int | None
    notes: tuple[str, ...]


class RerunLine(Part, frozen=True, kw_only=True):
    """A match played again, unless it came out the same as promised."""

    match: str
    outcome: Literal["same", "different", "not promised", "not played"]
    findings: tuple[str, ...]


class RerunDocument(Document, frozen=True, kw_only=True):
    """How matches came out when they were played again.

    `picked` matches were to be played again. `holds`: none came out differently, unless that was not
    promised. `seed` is the seed of a sample, a decimal string.
    """

    format: Literal["tourney-rerun/1"] = "tourney-rerun/1"
    holds: bool
    picked: int
    same: int
    different: int
    not_promised: int
    not_played: int
    seed: str | None
    matches: tuple[RerunLine, ...]
