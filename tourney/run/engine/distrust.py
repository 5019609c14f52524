"""What follows when a host is set aside: its results are taken back, rounds drawn from them are drawn anew.

Results are taken back in one transaction, which also marks them as the ones that the stored rounds were drawn
from. While there are such marks no round is drawn, and all open matches are played. Then ``settle`` draws the
rounds again from the true results: from the first one that comes out otherwise, all are withdrawn. So a run
that is killed in between goes on the same way, and the tournament ends as if the host had never played.
"""

import json
import os
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tourney.errors import StoreDamaged, TourneyError
from tourney.run.engine.recorder import pair_next
from tourney.run.engine.redraw import Stored, first_wrong_draw, wrongly_benched
from tourney.run.monitoring.progress import counted
from tourney.run.workers.executor import machine_of
from tourney.store.parts import unpack_parts
from tourney.store.repository import Repository
from tourney.store.values import Match, MatchParts, Tournament

Say = Callable[[str], None]

_CHUNK: Final = 500
"""Matches to read at a time."""


def take_back_from(repository: Repository, tournament: int, aside: Collection[str], say: Say) -> None:
    """Take back the results of machines that were set aside, so that their matches are played again.

    So are matches that the machine made void, as those machines may have failed on purpose.
    """
    by_machine: dict[str, list[int]] = {}
    for number, host in repository.hosts(tournament) if aside else ():
        if (machine := machine_of(host)) in aside:
            by_machine.setdefault(machine, []).append(number)
    if not by_machine:
        return
    void = [number for number, _ in repository.void_matches(tournament)]
    numbers = [number for some in by_machine.values() for number in some]
    kept = _keep(repository, tournament, set(numbers), "its host was set aside", say)
    with repository.transaction() as writer:
        for machine, some in by_machine.items():
            writer.take_back(tournament, some, machine)
        writer.take_back(tournament, void, "")
    more = f" (and {counted(len(void), 'void result')})" if void else ""
    hosts = ", ".join(sorted(by_machine))
    say(f"{counted(len(numbers), 'result')} of {hosts} taken back{more}, to be played again{kept}")


def settle(repository: Repository, tournament: int, say: Say) -> bool:
    """Draw the rounds again that were drawn from results taken back, once all of these are played again.

    Return whether the run has to go on: there are matches to play, or rounds were withdrawn.
    """
    stored = Stored.of(repository, repository.tournament_by_id(tournament))
    others = tuple(old for old in stored.replaced if old.host is None)
    if len(others) == len(stored.replaced):
        return False
    if any(match.result is None for match in stored.matches):
        return True
    # After --unbench, results from before it stay, which other failed starts led to.
    if wrong := [] if others else [match.number for match, _ in wrongly_benched(stored)]:
        kept = _keep(repository, tournament, set(wrong), "other results decide who is benched", say)
        repository.take_back(tournament, wrong, "")
        say(
            f"{counted(len(wrong), 'result')} taken back, to be decided again: results that benched a bot, or"
            f" kept it from being benched, were of a host that was set aside{kept}"
        )
        return True
    numbers = {old.number for old in stored.replaced if old.host is not None}
    since = min(match.key.round for match in stored.matches if match.number in numbers)
    last = stored.matches[-1].key.round
    drawn = first_wrong_draw(replace(stored, replaced=others), since)
    gone = [match for match in stored.matches if drawn is not None and match.key.round > drawn]
    if gone:
        kept = _keep(
            repository,
            tournament,
            {match.number for match in gone},
            f"round {gone[0].key.round} was drawn from results of a host that was set aside",
            say,
        )
        rounds = (
            f"round {last} is"
            if len({match.key.round for match in gone}) == 1
            else (f"rounds {gone[0].key.round} to {last} are")
        )
        say(
            f"{rounds} drawn anew, as results before came out differently without the host that was set"
            f" aside; {counted(len(gone), 'row')} of the old draw no longer count{kept}"
        )
    repository.settle(tournament, last if drawn is None else drawn)
    pair_next(repository, tournament)
    return bool(gone or repository.pending(tournament))


def _keep(repository: Repository, tournament: int, numbers: Collection[int], why: str, say: Say) -> str:
    """Add matches that no longer count to a file beside the database, and return where they are, in words."""
    stored = repository.tournament_by_id(tournament)
    path = withdrawn_path(repository.place, stored)
    names = [entrant.name for entrant in repository.entrants(tournament)]
    chosen = (match for match in repository.matches(tournament) if match.number in numbers)
    try:
        with path.open("ab") as file:
            file.write(b"\n")  # the last line of a run that was killed may lack its end
            while some := list(islice(chosen, _CHUNK)):
                parts = repository.parts(tournament, [match.number for match in some])
                for match in some:
                    data = _data(match, names, parts.get(match.number, MatchParts()))
                    file.write(json.dumps(data | {"why": why}).encode("ascii") + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except (OSError, TourneyError) as error:
        say(f"results that no longer count could not all be written to {path}: {error}")
        return ""
    return f"; they are kept in {path}"


def _data(match: Match, names: Sequence[str], parts: MatchParts) -> dict[str, Any]:
    data: dict[str, Any] = {
        "match": match.number,
        "place": match.key,
        "entrants": [names[seat] for seat in match.seats],
    }
    if match.result is not None and not match.result.digest:
        data["void"] = match.result.note
    with suppress(StoreDamaged):  # what is damaged cannot be kept
        record, _, measured = unpack_parts(parts, len(match.seats))
        if record is not None:
            data |= {"host": measured.get("host", ""), "record": record}
    return data


def withdrawn_path(place: Path, tournament: Tournament) -> Path:
    """Return the file of a tournament's results that no longer count; one JSON object a line."""
    return place.with_name(f"{place.name}-{tournament.name}.withdrawn.jsonl")
