"""Rerun a record: the same bots play the same match again, afresh; the first action that differs is named."""

from collections.abc import Callable

from tourney.errors import CheckError
from tourney.games.registry import find_game
from tourney.match.record import Record, check_record, spec_of
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.match.verify import Finding


def rerun(record: Record, play: Callable[[MatchSpec], PlayedMatch]) -> tuple[PlayedMatch, list[Finding]]:
    """Play a record's match again by ``play`` (a room's) and return it with what differs, if anything does.

    Raises RecordError for a record whose shape or digest does not hold, CheckError if the rules have changed
    since, and whatever ``play`` raises.
    """
    check_record(record)
    game = find_game(record["game"])
    if game.rules != record["rules"]:
        raise CheckError(
            f"the match was played by version {record['rules']} of the rules of {game.name}; version"
            f" {game.rules}, which is here, cannot play it again"
        )
    played = play(spec_of(record))
    return played, compare(record, played.record)


def compare(old: Record, new: Record) -> list[Finding]:
    """Return how a record of the same match differs from the old one: the first action, and the outcome."""
    findings = []
    for number, (was, now) in enumerate(zip(old["actions"], new["actions"], strict=False), start=1):
        if list(was) != list(now):
            findings.append(Finding(f"it was {_entry(was)}, now it is {_entry(now)}", number))
            break
    else:
        shorter = min(len(old["actions"]), len(new["actions"]))
        if len(old["actions"]) != len(new["actions"]):
            longer, when = (old, "it was") if len(old["actions"]) > shorter else (new, "now it is")
            entry = _entry(longer["actions"][shorter])
            findings.append(Finding(f"{when} {entry}, where the other match was over", shorter + 1))
    for key in ("ranks", "reason", "faults", "resigned"):
        was, now = old["outcome"].get(key, []), new["outcome"].get(key, [])
        if was != now:
            findings.append(Finding(f"outcome: {key} was {was}, now it is {now}"))
    if not findings and old["digest"] != new["digest"]:
        findings.append(Finding("the records differ, though not in actions or outcome"))
    return findings


def _entry(entry: list[object]) -> str:
    actor, action = entry
    return f"{'chance' if actor == 0 else f'seat {actor}'} {action}"
