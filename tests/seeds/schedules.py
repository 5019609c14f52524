"""Made-up tournaments: the formats draw the rounds, a seed decides the results, and there are no records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from msgspec import to_builtins

from tourney.schedule.format import History, Participant, Setup, find_format, group_size
from tourney.schedule.ranking_rule import RankingRule
from tourney.schedule.row import ResultRow, Row
from tourney.seeds import stream

Extra = tuple[tuple[str, int | str], ...]


@dataclass(frozen=True)
class Made:
    """A tournament: format, entrants, seats, groups a pairing, rounds, settings.

    ``late`` entrants join before round 3, ``left`` names the number that leaves before round 3, and
    ``broken`` the number that never starts. ``raised`` is a larger number of groups, or of rounds of a
    design, that a later file asks for. Without ``ranking`` the plan is an older one.
    """

    format: str
    entrants: int
    seats: int = 2
    groups: int = 1
    rounds: int | None = None
    extra: Extra = ()
    late: int = 0
    left: int | None = None
    broken: int | None = None
    rated: bool = False
    raised: int = 0
    ranking: RankingRule | None = None

    @property
    def name(self) -> str:
        """The format with what is particular."""
        parts = [self.format, f"{self.entrants}", f"{self.seats}-seats"]
        parts += [key for key in ("late", "left", "broken", "rated", "raised") if getattr(self, key)]
        parts += [] if self.ranking is None else [f"bye-{self.ranking.bye}"]
        return "-".join([*parts, *(key for key, _ in self.extra)])


RATED: Final = ("seeding", "rating")
RANKED: Final = RankingRule("points", ("wins",), "win", "left-out")
HALF: Final = RankingRule("points", ("buchholz",), "half", "fide-c07-2026")
STAGES: Final = RankingRule("stages-won", ("stages-won",), extra_groups=0)
MADE: Final = (
    *(Made("round-robin", n, seats) for n, seats in ((5, 2), (8, 2), (6, 3), (7, 4))),
    Made("round-robin", 5, late=1),
    Made("round-robin", 6, 3, late=2),
    Made("round-robin", 5, raised=3),
    Made("round-robin", 8, 4, rounds=7),
    Made("round-robin", 7, 3, rounds=7),
    Made("round-robin", 9, 3, rounds=4, raised=6),
    Made("round-robin", 4, groups=40, extra=(("until-width", 20),)),
    Made("round-robin", 5, 4, groups=12, extra=(("until-width", 20),)),
    Made("gauntlet", 6),
    Made("gauntlet", 7, extra=(("challengers", "e2,e4,e1"),), late=2),
    Made("gauntlet", 7, 3, extra=(("challengers", "e2,e4"),)),
    Made("gauntlet", 6, 4, raised=2),
    *(Made("knockout", n, groups=n % 2 + 1) for n in (2, 3, 5, 8, 13)),
    Made("knockout", 9, extra=(("extra-groups", 1), ("third-place", 1)), broken=3),
    Made("knockout", 8, extra=(("extra-groups", 0), RATED, ("third-place", 1)), left=1, rated=True),
    *(Made("swiss", n, rounds=r) for n, r in ((4, 3), (9, 5), (16, 7), (31, 9))),
    Made("swiss", 12, rounds=6, late=3, left=4, broken=1),
    Made("swiss", 40, rounds=6, extra=(RATED,), rated=True),
    Made("swiss", 6, rounds=5, left=2),
    *(Made("swiss", n, seats, rounds=4) for n, seats in ((9, 3), (14, 3), (12, 4), (18, 4))),
    Made("swiss", 13, 3, rounds=5, late=2, left=4, broken=1),
    *(Made("swiss", 9, rounds=5, ranking=one) for one in (HALF, RANKED)),
    *(Made("swiss", 11, 3, rounds=5, ranking=one) for one in (HALF, RANKED)),
    Made("knockout", 9, ranking=STAGES),
    *(Made("adaptive", n, seats, extra=(("budget", 240),)) for n, seats in ((4, 2), (9, 2), (7, 3), (9, 4))),
    Made("adaptive", 8, extra=(("batch", 3), ("budget", 90)), late=2, left=4, broken=1),
    Made("adaptive", 6, extra=(("batch", 4), ("budget", 150), RATED, ("target-sigma", 130)), rated=True),
)  # fmt: skip


def _entrants(made: Made) -> list[dict[str, Any]]:
    below = stream(11, "ratings")
    found: list[dict[str, Any]] = [{"name": f"e{n}"} for n in range(made.entrants)]
    for one in found[made.entrants - made.late :]:
        one["joined"] = 3
    if made.left is not None:
        found[made.left]["left"] = 3
    for one in found[::2] if made.rated else ():
        one |= {"rating": below(40_000) - 20_000, "deviation": 2000 + below(10_000)}
    return found


def _setup(
    made: Made, entrants: Sequence[Mapping[str, Any]], seed: int, groups: int, rounds: int | None
) -> Setup:
    players = [
        Participant(
            n, one["name"], one.get("joined", 1), one.get("left"), one.get("rating"), one.get("deviation")
        )
        for n, one in enumerate(entrants)
    ]
    return Setup(tuple(players), made.seats, seed, groups, rounds, made.extra, ranking=made.ranking)


def _ranks(made: Made, row: Row, below: Any) -> tuple[int, ...]:
    strong = {number: below(12) - number // 2 for number in row.seats}
    return tuple(1 + sum(strong[other] > strong[one] for other in row.seats) for one in row.seats)


def _matches(made: Made, entrants: list[dict[str, Any]], seed: int) -> Iterator[dict[str, Any]]:
    format_, below = find_format(made.format), stream(seed, "results")
    history, stages = History(), [(made.groups, made.rounds)]
    if made.raised:
        stages.append((made.raised, None) if made.rounds is None else (made.groups, made.raised))
    for groups, rounds in stages:
        while True:
            known = [one for one in entrants if one.get("joined", 1) <= history.rounds + 1]
            known = [
                {k: v for k, v in one.items() if k != "left" or v <= history.rounds + 1} for one in known
            ]
            shown = [r for r in history.results if r.key.round <= history.rounds - format_.lag]
            setup = _setup(made, known, seed, groups, rounds)
            if made.extra[:1] == (("until-width", 20),) and history.rounds > 100:
                break
            rows = format_.next_rounds(setup, History(history.rows, shown)).rows
            if not rows:
                break
            for row in rows:
                faults = tuple("startup" if number == made.broken else None for number in row.seats)
                ranks = _ranks(made, row, below)
                void = below(25) == 0
                history.extend((row,), (ResultRow(row.key, row.seats, ranks, () if void else faults, void),))
                yield _line(row, ranks, faults, void=void)


def _line(row: Row, ranks: Sequence[int], faults: Sequence[str | None], *, void: bool) -> dict[str, Any]:
    line: dict[str, Any] = {"place": [*row.key], "seats": [*row.seats]}
    if void:
        return line | {"void": {"reason": "machine-failure"}}
    listed = [[seat, kind, 0] for seat, kind in enumerate(faults, 1) if kind]
    return line | {"record": {"outcome": {"ranks": [*ranks], "faults": listed}}}


def made_up(made: Made, seed: int = 5) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The first line of its export, and the lines of its matches."""
    entrants = _entrants(made)
    matches = list(_matches(made, entrants, seed))
    rounds = made.raised if made.raised and made.rounds is not None else made.rounds
    groups = made.raised if made.raised and made.rounds is None else made.groups
    plan = {
        "format": made.format,
        "seats": made.seats,
        "games-per-pairing": groups * group_size(made.seats),
        "rounds": rounds,
        "extra": dict(made.extra),
        **({} if made.ranking is None else {"ranking": to_builtins(made.ranking)}),
    }
    cup = {"plan": plan, "entrants": entrants, "seed": str(seed)}
    return {"tournament": cup, "complete": True, "matches": len(matches)}, matches
