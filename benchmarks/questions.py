"""Questions about a bot, simulated with seeds: how often gates and placements are wrong, and their cost.

    python -m benchmarks.questions gate [--runs 400]
    python -m benchmarks.questions ladder [--runs 200] [--seed 1]
    python -m benchmarks.questions intervals [--full] [--only pairs|ratings|stopping|luck|best] [--seed 1]

``gate``: candidates of known strength against one or three baselines, with draws and with pairs whose
strength varies (by a normal distribution of 150 Elo), with a look after every batch of 16 pairs, 60 at most.
A gate is wrong if it claims anything that is not true.

``ladder``: a bot of known strength plays pairs against seven rungs, 100 Elo apart, by the batches and to the
end of ``tourney ladder``. A line for each strength: games until the fixed interval is 50 Elo on each side,
how often it excludes the truth then and at any look up to then, how often the interval that holds at every
look does, and the games until that is as narrow. In the last line, the games of a pair depend.

``intervals``: intervals that hold at every look, and tournaments that end at an answer, in five tables:

- *pairs*: comparisons with ``--elo0 0 --elo1 20``: how often an interval excludes the truth at any of 40
  looks, and its width; verdicts, and how often the interval contradicts them; warnings that halves differ.
- *stopping*: the pairs that ``compare --width`` plays, and how often its last interval excludes the truth.
- *luck*: comparisons in which luck explains some of the scores of pairs: with it, and without a share of it.
- *ratings*: the Elo of bots and the differences of two, from the fit to all matches; 2 to 4 seats, with
  draws, pairs that depend on each other, and games that vary more than chance.
- *best*: the games until ``[until] best = 0.95`` is known, adaptive pairing beside a round-robin, and how
  often a wrong bot is named.
"""

import time
from collections import Counter
from collections.abc import Sequence

import click

from benchmarks.common import described, head, row, run, share
from benchmarks.intervals import FULL, SMALL, TABLES
from tourney.addons.lab.anchored import Meeting, Placement, place
from tourney.addons.lab.gate import GateRule
from tourney.addons.lab.ladder import LadderRule
from tourney.addons.lab.results import Claim
from tourney.ratings.sequential import (
    EVERY_LOOK,
    FIXED,
    Scores,
    expected_score,
    pair_scores,
)
from tourney.ratings.superiority import normals
from tourney.schedule.adaptive import expected
from tourney.seeds import derive

# Gates and placements

GATE = GateRule(0, 40)
LOOKS = 60
SPREAD = 150.0
SCENES: tuple[tuple[Sequence[float], float, bool], ...] = (
    ((0,), 0.0, False),
    ((0,), 0.5, False),
    ((0,), 0.3, True),
    ((40,), 0.0, False),
    ((40,), 0.5, False),
    ((100,), 0.3, False),
    ((0, 0, 0), 0.3, False),
    ((0, 40, 100), 0.3, False),
    ((40, 40, 40), 0.3, False),
    ((60, 80, 100), 0.3, False),
)
"""The candidate's Elo over each baseline, the share of draws among equals, and whether pairs vary."""
LADDER = LadderRule(tuple(range(-30_000, 30_001, 10_000)), width=50, games=4_000)
STRENGTHS = (0, 17_000, 30_000, 45_000)
"""Hundredths of Elo: in the middle, between rungs, at the strongest and beyond it."""
SHARED = 50
"""The percentage of pairs whose games share one draw of luck, in the world where games of a pair depend."""


def play(number: int, baseline: int, look: int, elo: float, drawn: float, offsets: Sequence[float]) -> Scores:
    """The scores of a batch of pairs of a run; ``offsets`` change the candidate's strength in turn."""
    counts = [0] * 5
    for pair in range(GATE.batch):
        offset = offsets[(look * GATE.batch + pair + 7 * number) % len(offsets)] if offsets else 0.0
        score = expected_score(elo + offset)
        draw = 4 * drawn * score * (1 - score)
        points = 0
        for game in (1, 2):
            u = share(number, "gate", baseline, look, pair, game)
            points += 2 if u < score - draw / 2 else 1 if u < score + draw / 2 else 0
        counts[points] += 1
    return pair_scores(counts)


def simulate(
    number: int, elos: Sequence[float], drawn: float, offsets: Sequence[float]
) -> tuple[str, list[Claim | None], int]:
    """The verdict of a gate, what it claims of each baseline, and the pairs played."""
    batches: list[list[Scores]] = [[] for _ in elos]
    claims: list[Claim | None] = [None] * len(elos)
    for look in range(LOOKS):
        for baseline, elo in enumerate(elos):
            if claims[baseline] is None:
                batches[baseline].append(play(number, baseline, look, elo, drawn, offsets))
        claims = [claim for _, _, claim in GATE.prove(batches)]
        if "worse" in claims or None not in claims:
            break
    verdict = "rejected" if "worse" in claims else "undecided" if None in claims else "accepted"
    return verdict, claims, GATE.batch * sum(map(len, batches))


# -- ladders ------------------------------------------------------------------------------------------------


def placements(strength: int, shared: int, seed: int) -> list[Placement]:
    """The placements after each batch, until the interval at every look is as narrow as asked."""
    groups: list[list[Meeting]] = []
    found: list[Placement] = []
    rungs = range(1, len(LADDER.anchors) + 1)
    while not found or (
        LADDER.now(found[-1]).half_width > 100 * LADDER.width and 2 * len(groups) < LADDER.games
    ):
        for table, (rung,) in enumerate(LADDER.groups(2, rungs, found[-1] if found else None)):
            label = (strength, len(found), table)
            one = derive(seed, "pair", *label) % 100 < shared
            opponent = LADDER.rating(rung)
            luck = (share(seed, "game", *label, 0 if one else game) for game in (0, 1))
            won = sum(drawn < expected(strength - opponent) for drawn in luck)
            groups.append([Meeting(opponent, 2, 2 * won)])
        found.append(place(groups, LADDER.anchors))
    return found


def ever_wrong(found: Sequence[Placement], strength: int) -> bool:
    """Whether any of the intervals excludes the strength."""
    return any(not one.low <= strength <= one.high for one in found)


# Commands


@click.group(help=described(__doc__))
def main() -> None:
    """Simulate questions about a bot."""


@main.command("gate")
@click.option("--runs", default=400, show_default=True)
def gate_command(runs: int) -> None:
    """Print a line for each scene of a gate."""
    print(
        f"gates with --no-regression {GATE.elo0:g} --gain {GATE.elo1:g}, {runs} runs, at most {LOOKS} looks"
    )
    verdicts = ("accepted", "rejected", "undecided")
    head("Elo over baselines", "draws", "pairs vary", *verdicts, "wrong", "pairs")
    spread = [SPREAD * value for value in normals(997, "gate")]
    for elos, drawn, varied in SCENES:
        offsets = spread if varied else []
        counts: Counter[str] = Counter()
        wrong = pairs = 0
        for number in range(runs):
            verdict, claims, played = simulate(number, elos, drawn, offsets)
            counts[verdict] += 1
            pairs += played
            wrong += any(
                (claim == "better" and elo <= GATE.elo0) or (claim == "worse" and elo >= GATE.elo1)
                for claim, elo in zip(claims, elos, strict=True)
            )
        row(
            ", ".join(f"{elo:+g}" for elo in elos),
            f"{drawn:g}",
            "yes" if varied else "no",
            *(f"{100 * counts[verdict] / runs:.1f} %" for verdict in verdicts),
            f"{100 * wrong / runs:.1f} %",
            f"{pairs / runs:.0f}",
        )


@main.command("ladder")
@click.option("--runs", default=200, show_default=True)
@click.option("--seed", default=1, show_default=True)
def ladder_command(runs: int, seed: int) -> None:
    """Print a line for each strength of a bot that is placed."""
    head(
        *("strength of the bot", "games", f"{FIXED}, at the end", f"{FIXED}, ever", f"{EVERY_LOOK}, ever"),
        *("games until that is as narrow", "ratio"),
    )
    for strength, shared in (*((strength, 0) for strength in STRENGTHS), (0, SHARED)):
        games = longer = at_end = watched = sequence = 0
        for number in range(runs):
            found = placements(strength, shared, derive(seed, "run", number))
            known = next(k for k, one in enumerate(found) if LADDER.ending(one, 0))
            games += 8 * (known + 1)
            longer += 8 * len(found)
            at_end += ever_wrong(found[known : known + 1], strength)
            watched += ever_wrong(found[: known + 1], strength)
            sequence += ever_wrong([LADDER.now(one) for one in found], strength)
        row(
            f"{strength / 100:+.0f}{', half of the pairs share their luck' if shared else ''}",
            f"{games / runs:.0f}",
            *(f"{100 * count / runs:.1f} %" for count in (at_end, watched, sequence)),
            f"{longer / runs:.0f}",
            f"{longer / games:.1f}",
        )


@main.command("intervals")
@click.option("--full", is_flag=True, help="As many runs as the documentation has; hours.")
@click.option("--only", type=click.Choice(list(TABLES)), help="One part.")
@click.option("--seed", default=1, show_default=True)
def intervals_command(full: bool, only: str | None, seed: int) -> None:
    """Print tables of intervals that hold at every look, and of tournaments that end at an answer."""
    for name in [only] if only else TABLES:
        for table in TABLES[name]:
            start = time.perf_counter()
            lines = table(FULL if full else SMALL, seed)
            head(*next(lines))
            for line in lines:
                row(*line)
            print(f"\n({time.perf_counter() - start:.0f} s)\n", flush=True)


if __name__ == "__main__":
    run(main)
