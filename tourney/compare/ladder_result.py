"""The result of a placement: as JSON data, in sentences, and live after each batch."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tourney.bots.catalogue.rungs import Rung
from tourney.compare.ladder_format import (
    Ending,
    LadderRule,
    batch,
    batch_tables,
    counts,
    half_points_of,
)
from tourney.compare.request import has_ended, row_of_event
from tourney.ratings.anchored import Placement, expected
from tourney.ratings.sequences import EVERY_LOOK, FIXED
from tourney.run.monitoring.progress import Listener, Progress, counted, kinds_text
from tourney.schedule.format import group_size
from tourney.schedule.player_history import MAX_STARTUP_FAILURES, startup_failures
from tourney.schedule.row import MatchKey, ResultRow
from tourney.store.repository import Repository
from tourney.store.values import Match, Tournament

LOST: Final = 20
"""The most lost games in the result."""


def ladder_data(repository: Repository, tournament: Tournament, rungs: Sequence[Rung]) -> dict[str, Any]:
    """Return a bot's place on a ladder as JSON data, from the stored results alone.

    Ratings have 1 decimal. ``rating``, ``low``, ``high`` and the ranks are None before the first game that
    counts. ``intervals`` names the kind of ``low`` and ``high``: at every look until the placement has ended.
    ``ended``: no further game is played; ``ending`` says why (``ladder_format.Ending``). ``rungs`` are the
    best first; ``won``, ``drawn`` and ``lost`` are the bot's games against each, and ``expected`` the score
    that its rating promises. ``next``: the nearest rung above the bot. ``lost``: the lost games, the shortest
    first, at most ``LOST``. ``first_fault``: the first match in which the bot was at fault.
    """
    rule = LadderRule.of(tournament.plan.extra)
    matches = [
        match for match in repository.matches(tournament.id, finished=True) if match.result is not None
    ]
    results = [row for match in matches if (row := match.result_row) is not None]
    names = [entrant.name for entrant in repository.entrants(tournament.id)]
    counting = [result for result in results if counts(result)]
    placement = rule.place(counting) if counting else None
    progress = repository.progress(tournament.id)
    ended = has_ended(repository, tournament)
    kinds = {kind: count for number, kind, count in repository.faults(tournament.id) if number == 0}
    faulty = next((match for match in matches if _fault(match)), None)
    return {
        "tournament": tournament.name,
        "game": tournament.game,
        "seats": tournament.seats,
        "bot": names[0],
        "ended": ended,
        "ending": _ending(rule, results, placement, progress.rows) if ended else None,
        "width": rule.width,
        "intervals": FIXED if ended else EVERY_LOOK,
        **_figures(rule, placement if ended or placement is None else rule.now(placement), names),
        "games": len(counting),
        "void": sum(result.void for result in results),
        "not_counted": sum(not counts(result) and not result.void for result in results),
        "faults": dict(sorted(kinds.items())),
        "first_fault": None
        if faulty is None
        else {"match": faulty.number, "seat": faulty.seats.index(0) + 1, "kind": _fault(faulty)},
        "rungs": list(_rungs(rule, counting, placement, rungs)),
        "lost": _lost(matches, names),
    }


def _fault(match: Match) -> str | None:
    """Return the kind of the bot's fault in a match, or None."""
    found = match.result
    return None if found is None or not found.faults else found.faults[match.seats.index(0)]


def _ending(
    rule: LadderRule, results: Sequence[ResultRow], placement: Placement | None, rows: int
) -> Ending | None:
    starts = sum(0 in startup_failures(result.entrants, result.faults) for result in results if result.faults)
    if starts >= MAX_STARTUP_FAILURES or placement is None:
        return "out"
    return rule.ending(placement, rows) or "games"


def _figures(rule: LadderRule, placement: Placement | None, names: Sequence[str]) -> dict[str, Any]:
    """Return the bot's rating and its rank among the rungs: 1 + the number of better ones."""
    keys = ("rating", "low", "high", "rank", "best_rank", "worst_rank", "next")
    if placement is None:
        return dict.fromkeys(keys)
    above = [rung for rung, rating in enumerate(rule.anchors, 1) if rating > placement.rating]
    nearest = min(above, key=lambda rung: (rule.rating(rung), rung), default=None)
    return dict(
        zip(
            keys,
            (
                *(_elo(value) for value in (placement.rating, placement.low, placement.high)),
                *(
                    1 + sum(rating > value for rating in rule.anchors)
                    for value in (placement.rating, placement.high, placement.low)
                ),
                None if nearest is None else names[nearest],
            ),
            strict=True,
        )
    )


def _rungs(
    rule: LadderRule, results: Sequence[ResultRow], placement: Placement | None, rungs: Sequence[Rung]
) -> Iterator[dict[str, Any]]:
    scores: dict[int, Counter[int]] = {}
    for result in results:
        for number, half_points in half_points_of(result).items():
            scores.setdefault(number, Counter())[half_points] += 1
    order = sorted(range(1, len(rungs) + 1), key=lambda number: (-rule.rating(number), -number))
    for number in order:
        rung, found = rungs[number - 1], scores.get(number, Counter())
        games = found.total()
        yield {
            "name": rung.name,
            "bot": rung.bot,
            "args": list(rung.args),
            "rating": _elo(rule.rating(number)),
            "games": games,
            "won": found[2],
            "drawn": found[1],
            "lost": found[0],
            "score": round((2 * found[2] + found[1]) / (2 * games), 3) if games else None,
            "expected": None
            if placement is None
            else round(expected(placement.rating - rule.rating(number)), 3),
        }


def _lost(matches: Iterable[Match], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the games in which the bot was not first: last places before others, then the shortest first."""
    found = []
    for match in matches:
        result = match.result
        if result is None or result.void:
            continue
        rank = result.ranks[match.seats.index(0)]
        if rank > 1:
            line = {
                "match": match.number,
                "against": [names[number] for number in match.seats if number],
                "seat": match.seats.index(0) + 1,
                "rank": rank,
                "actions": result.actions,
                "reason": result.reason,
                "fault": _fault(match),
            }
            found.append(((-rank, result.actions, match.number), line))
    return [line for _, line in sorted(found, key=lambda pair: pair[0])[:LOST]]


def _elo(hundredths: int) -> float:
    return round(hundredths / 100, 1) + 0.0


def place_text(result: Mapping[str, Any]) -> str:
    """Return a bot's place on the ladder in a sentence."""
    bot, count = result["bot"], len(result["rungs"]) + 1
    if result["rating"] is None:
        return f"{bot} has no rating yet: none of its games counts"
    where = f"{bot}: rank {result['rank']} of {count} on the ladder of {result['game']}"
    if result["seats"] > 2:
        where += f" with {result['seats']} seats"
    if result["best_rank"] != result["worst_rank"]:
        where += f" (from {result['best_rank']} to {result['worst_rank']} at 95 %)"
    interval = f"{result['intervals']}: {result['low']:+.1f} to {result['high']:+.1f}"
    return f"{where}, rating {result['rating']:+.1f} ({interval})"


def ending_text(result: Mapping[str, Any]) -> str:
    """Return why a placement ended, or that it goes on, in a sentence."""
    games = counted(result["games"], "game")
    if not result["ended"]:
        return f"{games} so far: run the same command again to go on to an interval of ±{result['width']} Elo"
    return {
        "width": f"{games}: the interval is at most ±{result['width']} Elo",
        "above": f"{games}: {result['bot']} is far above the ladder, which cannot measure it any closer",
        "below": f"{games}: {result['bot']} is far below the ladder, which cannot measure it any closer",
        "games": f"{games}: the limit is reached before an interval of ±{result['width']} Elo; set --games"
        " higher, or --width",
        "out": f"{games}: {result['bot']} did not start, so it cannot be placed",
    }[result["ending"]]


def next_text(result: Mapping[str, Any]) -> str:
    """Return whom to beat next, in a sentence; "" without a rating."""
    if result["rating"] is None:
        return ""
    if result["next"] is None:
        return "Next to beat: none, as the bot is above all rungs."
    rung = next(rung for rung in result["rungs"] if rung["name"] == result["next"])
    score = f"; so far {rung['won']} won, {rung['drawn']} drawn, {rung['lost']} lost" if rung["games"] else ""
    return (
        f"Next to beat: {rung['name']} ({rung['rating']:+.1f}), against which it scores about"
        f" {100 * rung['expected']:.0f} %{score}."
    )


def fault_text(result: Mapping[str, Any]) -> str:
    """Return what the bot, which has been at fault, did: ``was at fault in 2 games (2 crash); ...``."""
    kinds = Counter(result["faults"])
    return (
        f"was at fault in {counted(kinds.total(), 'game')} ({kinds_text(kinds)}); its log in match"
        f" {result['first_fault']['match']} ends"
    )


class LiveLadder(Listener):
    """Sends another listener a line after each whole batch, in whatever order the matches end.

    ``names`` are the entrants', the bot first; ``before`` the results stored before the run.
    """

    def __init__(
        self,
        listener: Listener,
        rule: LadderRule,
        seats: int,
        names: Sequence[str],
        before: Iterable[ResultRow],
    ) -> None:
        self._listener = listener
        self._rule = rule
        self._seats = seats
        self._names = names
        self._numbers = {name: number for number, name in enumerate(names)}
        self._batch = batch_tables(seats) * group_size(seats)
        self._results: dict[int, ResultRow] = {result.number: result for result in before}
        self._batches = self._whole()

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Take a stored match."""
        if name != "match":
            return
        number = data["match"]
        round_, place = divmod(number - 1, self._batch)
        table, order = divmod(place, group_size(self._seats))
        key = MatchKey(round_ + 1, table + 1, 1, order + 1)
        self._results[number] = row_of_event(data, key, self._numbers)

    def progress(self, progress: Progress) -> None:  # noqa: ARG002 - ``event`` took what matters
        """Send a line if a batch has ended."""
        whole = self._whole()
        if whole == self._batches:
            return
        self._batches = whole
        results = [self._results[number] for number in range(1, whole * self._batch + 1)]
        placement = self._rule.place(results)
        ending = self._rule.ending(placement, len(results))
        games = counted(sum(map(counts, results)), "game")
        shown = self._rule.now(placement) if ending is None else placement
        text = (
            f"{games}: rating {shown.rating / 100:+.1f} ± {shown.half_width / 100:.1f}"
            f" ({EVERY_LOOK if ending is None else FIXED})"
        )
        if ending is None:
            rungs = range(1, len(self._names))
            tables = batch(self._rule, self._seats, rungs, placement)
            against = dict.fromkeys(self._names[rung] for table in tables for rung in table)
            text += f", now against {' and '.join(against)}"
        self._listener.say(text)

    def _whole(self) -> int:
        """Return how many batches are whole."""
        whole = 0
        while all(n in self._results for n in range(whole * self._batch + 1, (whole + 1) * self._batch + 1)):
            whole += 1
        return whole
