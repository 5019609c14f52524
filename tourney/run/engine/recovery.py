"""Before a run begins: take in what the last one could not store, give benched bots another try."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tourney.errors import UsageError
from tourney.match.record import spec_of as spec_of_record
from tourney.run.engine.bench_policy import startup_failures_of
from tourney.run.engine.pairing import spec_of
from tourney.run.engine.replay_spool import read_spool
from tourney.store.repository import Repository
from tourney.store.values import MatchResult, Tournament

Say = Callable[[str], None]
_CHUNK = 500


def replay_spool(repository: Repository, tournament: Tournament, path: Path, say: Say) -> int:
    """Store the results in a spool that was left behind; return how many; the caller holds the lock.

    Rows that have a result keep it. A line that is torn or damaged, or a record that does not belong to its
    row, is not used: that match is played again. Raises StoreError for a spool of another tournament, and
    where they cannot be stored; then it stays.
    """
    spooled = read_spool(path, tournament)
    if spooled is None:
        return 0
    entrants = repository.entrants(tournament.id)
    open_rows = dict(repository.pending(tournament.id)) if spooled.finished else {}
    taken: list[MatchResult] = []
    damaged = spooled.damaged
    for item in spooled.finished:
        row = open_rows.get(item.number)
        if row is None:
            continue
        if item.played is not None:
            spec = spec_of(tournament, entrants, row)
            record = spec_of_record(item.played.record)
            if (record.game, record.seed, record.seats) != (spec.game, spec.seed, spec.seats):
                damaged += 1
                continue
        taken.append(item)
    for start in range(0, len(taken), _CHUNK):
        repository.record_results(tournament.id, taken[start : start + _CHUNK])
    if taken:
        count = f"{len(taken)} results" if len(taken) > 1 else "1 result"
        say(f"{count} that could not be stored before came out of {path}")
    if damaged:
        lines = f"{damaged} lines" if damaged > 1 else "1 line"
        say(f"{lines} of {path} were torn or damaged and are not used: those matches are played again")
    path.unlink(missing_ok=True)
    return len(taken)


def unbench(repository: Repository, tournament: Tournament, names: Sequence[str], say: Say) -> None:
    """Give benched entrants another try: what they lost at start-up, and what is void, is open again.

    Raises UsageError for a name that is no entrant or is not benched; then nothing is changed.
    """
    if not names:
        return
    numbers = {entrant.name: entrant.number for entrant in repository.entrants(tournament.id)}
    void = dict(repository.benched(tournament.id))
    strikes = startup_failures_of(repository.faulty_matches(tournament.id))
    for name in names:
        if name not in numbers:
            raise UsageError(
                f"--unbench {name}: {tournament.name} has no such entrant; see `tourney standings`"
            )
        if numbers[name] not in void and numbers[name] not in strikes:
            raise UsageError(f"--unbench {name}: {name} is not benched in {tournament.name}")
    for name in dict.fromkeys(names):
        entrant = numbers[name]
        lost = strikes.get(entrant, ())
        back = sorted({*lost, *repository.void_for(tournament.id, name)})
        repository.take_back(tournament.id, back)
        say(
            f"{name} is no longer benched: {len(back)} of its matches are played again,"
            f" {len(lost)} of them lost at start-up before"
        )
