"""Entrants whose bots cannot be built or fetched on this host: refused, or benched by ``--skip-broken``.

A bot that is benched so stays benched until ``--unbench``: the decision is stored with its reason, so every
later start of the run knows the same entrants, on any host.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.command import bot_command
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import Sandbox
from tourney.bots.wasm.meter import check_meter
from tourney.errors import BotError, TournamentError, TourneyError, UsageError
from tourney.match.spec import Limits
from tourney.run.config.entrants import enter
from tourney.run.config.tournament_file import TournamentFile
from tourney.schedule.format import find_format
from tourney.store.repository import Repository
from tourney.store.values import Plan, StoredEntrant, Tournament

Broken = Mapping[int, BotError]
"""Why the bots of entrants cannot be started, by the entrants' numbers."""
MAX_REASON: Final = 500
"""Characters of a stored reason."""


def find_broken(
    entrants: Sequence[StoredEntrant], bots: BotStore, sandbox: Sandbox, limits: Limits
) -> Broken:
    """Fetch and build the bots of entrants, each once, and return those that cannot be started.

    Raises UsageError if the limits count fuel by a meter that this machine does not have.
    """
    if limits.by_fuel:
        check_meter(limits.meter)
    found: dict[str, BotError] = {}
    for digest in dict.fromkeys(stored.entrant.digest for stored in entrants):
        try:
            bot = bots.fetch(digest)
            runnable_folder(bots, bot, sandbox, metered=limits.by_fuel)
            bot_command(bot)
        except BotError as error:
            found[digest] = error
    return {s.number: found[s.entrant.digest] for s in entrants if s.entrant.digest in found}


def refuse_broken(entrants: Sequence[StoredEntrant], broken: Broken) -> None:
    """Raise TournamentError if any bot is broken: a sentence that names all, with the builds' last lines."""
    errors = {stored.entrant.digest: broken[stored.number] for stored in entrants if stored.number in broken}
    if not errors:
        return
    raise _error(
        errors,
        "fix it, or go on without it by --skip-broken",
        "fix them, or go on without them by --skip-broken",
    )


def without_broken(
    plan: Plan,
    entrants: Sequence[StoredEntrant],
    broken: Broken,
    before: Sequence[StoredEntrant] = (),
    paired: int = 0,
) -> tuple[StoredEntrant, ...]:
    """Return the entrants, those with a broken bot marked: they sit in no round after those ``paired``.

    Raises TournamentError if fewer bots than a table has seats can be started, with those entered ``before``.
    """
    leaves = find_format(plan.format).takes_withdrawals
    marked = tuple(
        stored
        if (error := broken.get(stored.number)) is None
        else replace(
            stored,
            broken=reason_of(error),
            left=max(stored.joined, paired + 1) if leaves else stored.left,
        )
        for stored in entrants
    )
    working = sum(not stored.broken for stored in (*before, *marked))
    if broken and working < plan.seats:
        errors = {
            stored.entrant.digest: broken[stored.number] for stored in entrants if stored.number in broken
        }
        few = f"the bots that start ({working}) are too few for tables of {plan.seats} seats; correct others"
        raise _error(errors, few, few)
    return marked


def reason_of(error: BotError) -> str:
    """Return why a bot is broken as it is stored: one line, printable, of bounded length."""
    text = "".join(c if c.isprintable() else " " for c in str(error))
    return text if len(text) <= MAX_REASON else f"{text[:MAX_REASON]}..."


def broken_text(stored: StoredEntrant) -> str:
    """Return the message that an entrant is benched because its bot is broken."""
    return (
        f"{stored.name} is benched: {stored.broken}; it plays no match; once the bot starts on this host,"
        f" run again with --unbench {stored.name}"
    )


def restore_bots(
    repository: Repository,
    tournament: Tournament,
    file: TournamentFile,
    bots: BotStore,
    *,
    skip: bool,
) -> None:
    """Put the bots of a tournament that goes on into the store, where that lacks them.

    An imported tournament comes without its bots: those of the file and those that ship are at hand. Raises
    BotError, naming the digest, for any other, and TournamentError for a bot of the file, unless ``skip``.
    """
    counts = repository.progress(tournament.id)
    if tournament.complete and counts.done == counts.rows:
        return
    entrants = [stored for stored in repository.entrants(tournament.id) if not stored.broken]
    digests = dict.fromkeys(stored.entrant.digest for stored in entrants)
    if all(map(bots.has, digests)):
        return
    missing: tuple[type[TourneyError], ...] = (BotError, TournamentError) if skip else ()
    for line in file.entrants:
        with suppress(*missing):
            enter(file, [line], bots)
    for digest in digests:
        with suppress(*missing):
            bots.provide(digest)


def skip_broken(
    repository: Repository, tournament: Tournament, bots: BotStore, sandbox: Sandbox
) -> tuple[StoredEntrant, ...]:
    """Bench the entrants of a stored tournament whose bots cannot be started now, and return them.

    Only bots that still have something to play are tried.
    """
    stored = repository.entrants(tournament.id)
    paired = repository.progress(tournament.id).rounds
    due = {number for _, row in repository.pending(tournament.id) for number in row.seats}
    tried = [
        entrant
        for entrant in stored
        if not entrant.broken
        and (entrant.number in due or (not tournament.complete and entrant.left is None))
    ]
    broken = find_broken(tried, bots, sandbox, tournament.plan.limits)
    marked = without_broken(tournament.plan, stored, broken, paired=paired)
    changed = tuple(new for old, new in zip(stored, marked, strict=True) if new != old)
    if changed:
        repository.change_entrants(tournament.id, changed)
    return changed


def rejoin(
    repository: Repository, tournament: Tournament, stored: StoredEntrant, bots: BotStore, sandbox: Sandbox
) -> None:
    """Let an entrant whose bot was broken play again.

    It joins from the next round on, or (where all rounds are paired at the start) plays its void matches.
    Raises UsageError if its bot is still broken, or if the format lets no entrant come back.
    """
    for error in find_broken([stored], bots, sandbox, tournament.plan.limits).values():
        refused = UsageError(f"--unbench {stored.name}: {reason_of(error)}")
        for note in getattr(error, "__notes__", ()):
            refused.add_note(note)
        raise refused from error
    joined = stored.joined
    if stored.left is not None:
        format_ = find_format(tournament.plan.format)
        if not format_.takes_entrants or stored.left > stored.joined:
            raise UsageError(
                f"--unbench {stored.name}: {stored.name} has left {tournament.name} from round {stored.left}"
                f" on, and a {format_.name} lets no entrant come back; enter it in a new tournament"
            )
        joined = repository.progress(tournament.id).rounds + 1
    repository.change_entrants(tournament.id, [replace(stored, joined=joined, left=None, broken="")])


def _error(errors: Mapping[str, BotError], one: str, more: str) -> TournamentError:
    reasons = [reason_of(error) for error in errors.values()]
    if len(reasons) == 1:
        made = TournamentError(f"{reasons[0]}; {one}")
    else:
        made = TournamentError(f"{len(reasons)} bots cannot be started: {'; '.join(reasons)}; {more}")
    for error, reason in zip(errors.values(), reasons, strict=True):
        for note in getattr(error, "__notes__", ()):
            made.add_note(note if len(reasons) == 1 else f"{reason}\n{note}")
    return made
