"""What a later tournament file may change: ``rounds``, ``[run]``, and more entrants."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tourney.errors import TournamentError
from tourney.run.config.entrants import line_text
from tourney.run.config.tournament_file import EntrantLine, TournamentFile
from tourney.schedule.format import find_format
from tourney.schema import SchemaError, show
from tourney.store.values import Plan, StoredEntrant, Tournament


@dataclass(frozen=True, slots=True)
class Amendment:
    """The entrants that a file adds and (by number) withdraws, and whether it changes anything at all."""

    added: tuple[EntrantLine, ...]
    withdrawn: tuple[int, ...]
    changed: bool


def compare(
    tournament: Tournament, entrants: Sequence[StoredEntrant], paired: int, file: TournamentFile
) -> Amendment:
    """Return what a file changes; ``paired`` is the number of rounds paired so far.

    Raises TournamentError that names the key which may not change.
    """
    try:
        _refuse_changes(tournament, file, paired)
        added = _added(tournament, entrants, file.entrants)
        withdrawn = _withdrawn(tournament, entrants, file.run.withdrawn)
    except SchemaError as error:
        raise TournamentError(error.in_toml(str(file.path)), file=file.path, key=error.key) from error
    changed = bool(added) or file.plan.rounds != tournament.plan.rounds or file.run != tournament.run.settings
    return Amendment(added, withdrawn, changed)


def _refuse_changes(tournament: Tournament, file: TournamentFile, paired: int) -> None:
    """Raise SchemaError for the first key that differs and may not."""
    seed = tournament.seed if tournament.seed_chosen else None
    old, new = _fixed(tournament.plan), _fixed(file.plan)
    if file.ponder is None:  # the first start chose it
        new["[limits] ponder"] = old["[limits] ponder"]
    if file.seed != tournament.seed:
        old["seed"], new["seed"] = seed, file.seed
    for key in dict.fromkeys((*old, *new)):
        was, now = old.get(key), new.get(key)
        if was != now:
            before = _shown(was) if _shown(was) != _shown(now) else "another book"
            raise SchemaError(
                (),
                f"{key} was {before} when {tournament.name} began and is {_shown(now)} now; a later file may"
                " only add entrants or change rounds and [run]; set it back, or take a new name",
                inside=True,
            )
    rounds = file.plan.rounds
    if rounds is not None and rounds < paired:
        raise SchemaError(
            ("rounds",), f"is {rounds}, but {paired} rounds of {tournament.name} are paired already"
        )


def _fixed(plan: Plan) -> dict[str, object]:
    """Return the values of a plan that no later file may change, by key."""
    return {
        "game": plan.game,
        "the rules version of the game": plan.rules,
        "format": plan.format,
        "seats": plan.seats,
        "games-per-pairing": plan.games_per_pairing,
        "opening-plies": plan.opening_plies,
        "opening-book": plan.book,
        "opening-order": plan.opening_order,
        "mirrored-dice": plan.mirrored_dice,
        **{f"[options] {key}": value for key, value in plan.options},
        **{f"[limits] {key}": value for key, value in plan.limits.as_json().items()},
        **{key.replace("until-", "[until] "): value for key, value in plan.extra},
    }


def _added(
    tournament: Tournament, entrants: Sequence[StoredEntrant], lines: Sequence[EntrantLine]
) -> tuple[EntrantLine, ...]:
    """Return the lines that are new; every stored entrant must still have its line."""
    left = Counter(map(line_text, lines))
    for entrant in entrants:
        if not left[entrant.line]:
            raise SchemaError(
                (),
                f"the entrant {entrant.name} is not in bots or [[entrant]] as it was when {tournament.name}"
                " began: put it back, or choose a new name for the tournament",
                inside=True,
            )
        left[entrant.line] -= 1
    added = []
    for line in lines:
        if left[line_text(line)]:
            left[line_text(line)] -= 1
            added.append(line)
    if added and not find_format(tournament.plan.format).takes_entrants:
        raise SchemaError(
            ("bots",),
            f"names {show(added[0].bot)} too, but {tournament.name} has begun, and a {tournament.plan.format}"
            " takes no entrants later",
        )
    return tuple(added)


def _withdrawn(
    tournament: Tournament, entrants: Sequence[StoredEntrant], names: Sequence[str]
) -> tuple[int, ...]:
    """Return the numbers of newly withdrawn entrants; no withdrawal can be undone."""
    numbers = {entrant.name: entrant.number for entrant in entrants}
    key = ("run", "withdrawn")
    for name in tournament.run.withdrawn:
        if name not in names:
            raise SchemaError(
                key,
                f"does not name {name} any more, which has left {tournament.name}: put it back, as no entrant"
                " can return",
            )
    new = [name for name in names if name not in tournament.run.withdrawn]
    for name in new:
        if name not in numbers:
            raise SchemaError(
                key,
                f"names {name}, which is no entrant of {tournament.name}; the entrants are:"
                f" {', '.join(numbers)}",
            )
    if new and not find_format(tournament.plan.format).takes_withdrawals:
        raise SchemaError(
            key,
            f"names {new[0]}, but all rounds of a {tournament.plan.format} are paired at the start: it would"
            " change nothing",
        )
    # An entrant whose bot is broken may have left already.
    return tuple(numbers[name] for name in new if entrants[numbers[name]].left is None)


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    if isinstance(value, tuple):
        return f"a book of {len(value)} openings" if value else "none"
    return show(value)
