"""The numbers of the page on ratings are those of the code, or of the tables of performance.md."""

import re

import pytest
import trueskill

from tests.docs.pages import page
from tourney.match.evidence import ALARM, CAP, POINT
from tourney.ratings import cycles, fit, likelihood, population, sequential, superiority
from tourney.ratings.counts import FEW
from tourney.ratings.sequential import ELO, QUANTILE, elo_of, expected_score
from tourney.ratings.trueskill import Settings
from tourney.results import audit
from tourney.schedule.round_robin import BATCH
from tourney.schedule.until_rule import ALPHA, multiplier, tuned

PAGE = page("explanation/ratings.md")
PERFORMANCE = page("explanation/performance.md")
WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 8: "eight"}
PRIOR = likelihood.PRIOR


def cells(text: str, beginning: str) -> list[str]:
    """The cells behind the first one of the row of a table that begins so."""
    (row,) = re.findall(rf"^\| {re.escape(beginning)} \|(.*)\|$", text, re.MULTILINE)
    return [cell.strip() for cell in row.split("|")]


def table(command: str) -> list[list[str]]:
    """The rows of the table of performance.md below the line with a command."""
    rest = PERFORMANCE.split(command, 1)[1].split("\n|", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in rest.split("\n")[2:]]


@pytest.mark.parametrize(
    "sentence",
    [
        f"Where two bots have fewer than {FEW} clusters",
        f"a share of it is subtracted if it explains {100 * fit.PAYS:.0f} % of the results' variance",
        f"the luck of a bot {ALARM:.0f} standard errors above 0 is not subtracted",
        f"A match's luck stays within {CAP / POINT:g} points",
        f"the share of {superiority.SAMPLES:,} samples",
        f"2Φ(*c*) - 1 = {superiority.CONFIDENCE}^(1/(*n* - 1))",
        f"of which each has a standard deviation of {PRIOR.rating:g} Elo",
        f"every *γ* with {population.SEAT:g}",
        f"exponential with a mean of {population.USUAL:g} Elo",
        f"From {population.MANY} bots on",
        f"who has {100 * sequential.SUITED:.0f} % of the wealth",
        f"of {sequential.GUESS} guessed pairs",
        (
            f"risk {sequential.MULTIPLES[0]:g} to {sequential.MULTIPLES[-1]:g} times as much,"
            f" {sequential.BOLDEST:g} at most"
        ),
        f"(*p* below {cycles.SIGNIFICANT:g})",
        f"pairs deviate by {100 * cycles.LEAST:g} % of a point or more",
        f"Up to {cycles.MOST} bots",
        f"Pairs of fewer than {WORDS[int(fit.TESTED)]} games (their harmonic mean) are not tested",
        f"equal answers to {100 * audit.ALIKE:g} % of {audit.POSITIONS} common positions or more",
        f"with medians {audit.SLOWER:g} times apart",
        f"{100 * audit.HONEST:g} % more of the lost games are allowed",
        f"at most {100 * audit.ERROR:g} % false findings a tournament",
        f"after cycles of at least {BATCH} matches of a round-robin",
        f"*s* = {tuned():.2f} times the share of the planned information",
        f"The *evidence* printed is the logarithm of the wealth: {sequential.needed(1, ALPHA):.2f} for 5 %"[
            26:
        ],
        f"a scale on which {elo_of(0.76):.1f} Elo are 76 %, not 202",
        f"52.5 %, a gap of {elo_of((40 + 340 / 2) / 400):.0f} Elo",
        f"mu {Settings().mu:g}, sigma 25/3, beta 25/6",
    ],
)
def test_sentences_have_the_numbers_of_the_code(sentence: str) -> None:
    assert sentence in " ".join(PAGE.split())


def test_numbers_behind_words_of_the_page_hold() -> None:
    assert (ELO / PRIOR.rating) ** 2 / 0.25 == pytest.approx(1 / 3, abs=0.01)  # of one even game
    assert audit.REPEATED == 1 / 5
    assert (Settings().sigma, Settings().beta, Settings().tau) == (trueskill.SIGMA, trueskill.BETA, 0)
    assert (Settings().sigma, Settings().beta) == pytest.approx((25 / 3, 25 / 6))


def test_tables_of_elo_and_widths_are_computed() -> None:
    scores = [float(cell.removesuffix(" %")) / 100 for cell in cells(PAGE, "expected score")]
    elo = [float(cell) for cell in cells(PAGE, "Elo")]
    assert elo == [pytest.approx(elo_of(score), abs=0.05) for score in scores]
    assert [expected_score(value) for value in elo] == pytest.approx(scores, abs=0.0005)
    shares = [1 / 64, 1 / 16, 1 / 4, 1 / 2, 1, 2, 4]
    assert cells(PAGE, "share of the planned length") == ["1/64", "1/16", "1/4", "1/2", "1", "2", "4"]
    widths = cells(PAGE, "width, in fixed intervals of the same games")
    assert widths == [f"{multiplier(share) / QUANTILE:.2f}" for share in shares]


def test_figures_of_what_an_audit_misses_are_measured() -> None:
    rows = [row for row in table("python -m benchmarks.audits dumping") if row[1] == "20"]
    ranges = []
    for given in ("20 %", "50 %", "100 %"):
        found = sorted(float(row[4].removesuffix(" %")) for row in rows if row[2] == given)
        ranges.append(f"{found[0]:g} to {found[-1]:g} %")
    fifth, half, whole = ranges
    sentence = f"a fifth given away is found in {fifth} of tournaments, half in {half}, all in {whole}"
    assert sentence in audit.UNSEEN[0]
    assert sentence in PAGE


def test_audits_name_few_honest_bots() -> None:
    """The error that the page states holds for each kind of honest pool that was measured."""
    rows = table("python -m benchmarks.audits giving-up")
    honest = [row for row in rows if row[0].split()[0] not in {"one", "three", "five"}]
    assert len(honest) == 16
    assert all(float(row[3].removesuffix(" %")) <= 100 * audit.ERROR for row in honest)
    dumping = [row for row in table("python -m benchmarks.audits dumping") if row[2] == "0 %"]
    assert all(float(row[3].removesuffix(" %")) <= 100 * audit.ERROR for row in dumping)


def test_measured_numbers_are_those_of_the_tables() -> None:
    """Each is measured by the command of the table in performance.md."""
    even = table("python -m benchmarks.questions intervals --only pairs")[0]
    assert even[0] == "even, no draws"
    assert cells(PAGE, "half width of the interval, Elo") == even[2:]

    stones = table("python -m benchmarks.audits stones")
    single, groups = (sorted(int(row[k].removesuffix(" %")) for row in stones) for k in (2, 4))
    assert f"{single[0]} to {single[-1]} % of the variance of single games" in PAGE
    assert f"{groups[0]} to {groups[-1]} % of what mirrored dice leave" in PAGE

    repeats = table("python -m benchmarks.audits repeats")
    counted, joined = (sorted(round(float(row[k].removesuffix(" %"))) for row in repeats) for k in (3, 4))
    sentence = (
        f"in {joined[0]} to {joined[-1]} % of simulated pools, and in {counted[0]} to {counted[-1]} % without"
    )
    assert sentence in PAGE

    compared = table("python -m benchmarks.questions intervals --only luck")
    for elo, name in ((0, "equal bots"), (20, "20 Elo better"), (60, "60 Elo better")):
        first = next(row for row in compared if row[0] == str(elo))
        assert cells(PAGE, name) == first[4:6]
        assert int(first[1].removesuffix(" %")) == pytest.approx(60, abs=1)

    designs = table("python -m benchmarks.ratings designs")
    swiss = [row for row in designs if row[:4] == ["swiss", "32", "2", "0 %"]]
    flat, held = (sorted(round(float(row[column].split()[0])) for row in swiss) for column in (5, 6))
    assert f"such a fit hold {flat[0]} to {flat[-1]} % of the bots" in " ".join(PAGE.split())
    assert f"those of Tourney {held[0]} to {held[-1]} %" in " ".join(PAGE.split())

    bets = table("python -m benchmarks.ratings bets")
    ratios = [float(row[5].split()[0]) for row in bets if float(row[2]) <= float(row[1].split(",")[1])]
    assert f"**Cost**: {min(ratios):.1f} to {max(ratios):.1f} times the pairs" in PAGE
