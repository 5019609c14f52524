"""``tourney compare``: find out whether bot A is better than bot B."""

import click
from msgspec.structs import asdict, replace

from tourney.addons.lab.commands.questions import PAIRS, AskingOptions, PairOptions, print_answer, sprt_of
from tourney.addons.lab.comparison import BATCH, ComparisonRule
from tourney.addons.lab.question import TEST
from tourney.addons.lab.results import ComparisonResult, distinct_text, warnings
from tourney.cli import options as opt
from tourney.cli.completion import complete_bot
from tourney.cli.entrant_options import PROGRAMS
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.errors import CheckError, UsageError
from tourney.ratings.sequential import SequentialTest
from tourney.results.columns import Column

COLUMNS = ComparisonResult.__struct_fields__[1:]
"""Columns of CSV: all keys of the document but its name."""
SHOWN = {
    "pairs": "pairs of games",
    "pentanomial": "pairs in which A scored 0, 1/2, 1, 3/2, 2",
    "distinct": "games",
    "lost_pairs": "pairs with a void match",
    "score": "score of A",
    "score_with_luck": "score with luck",
    "luck": "luck of A a game",
    "elo": "Elo of A over B",
    "intervals": "interval of Elo",
    "low": "from",
    "high": "to",
    "los": "P(A better)",
    "better": "evidence for H1",
    "better_needed": "H1 at",
    "worse": "evidence for H0",
    "worse_needed": "H0 at",
    "faults_a": "faults of A",
    "faults_b": "faults of B",
    "comparison": "stored as",
}


class _CompareRequest(opt.CommandOptions):
    group = "When play ends"
    width: int | None = option(
        "--width ELO",
        "Instead of the test: play until the interval of Elo has this half width, at every look.",
        type=click.IntRange(1, 1000),
    )
    elo0: float = option("--elo0", "H1: A is better by more than this.", default=0.0)
    elo1: float = option("--elo1", "H0: A is better by less than this.", default=20.0)
    sprt: tuple[float, float] | None = option(
        "--sprt ELO0 ELO1",
        "Instead of --elo0 and --elo1: the pentanomial GSPRT of fishtest and fastchess between these bounds.",
        nargs=2,
        type=float,
    )
    alpha: float = option("--alpha", "Probability of a wrong H1, over all looks.", default=0.05)
    beta: float = option("--beta", "Probability of a wrong H0, over all looks.", default=0.05)
    batch: int = option("--batch PAIRS", "Pairs of games between checks.", type=PAIRS, default=BATCH)
    max_pairs: int | None = option("--max-pairs PAIRS", "Stop after this many. [default: no limit]")
    args_a: tuple[str, ...] = option(
        "--args-a WORDS",
        "Arguments of A, as '--playouts 100'.",
        group=PROGRAMS,
        default="",
        callback=opt.split_words,
    )
    args_b: tuple[str, ...] = option(
        "--args-b WORDS", "Arguments of B.", group=PROGRAMS, default="", callback=opt.split_words
    )
    name: str | None = option("--name NAME", "Name of the comparison. [default: from bots and options]")
    pairs: PairOptions
    asking: AskingOptions
    format_: object = opt.formats(ComparisonResult)

    def rule(self) -> ComparisonRule:
        """The rule of the comparison. Raises UsageError."""
        luck = not self.pairs.no_luck
        if self.width is not None:
            for word in (*TEST, "sprt"):
                if opt.is_given(word):
                    raise UsageError(
                        f"--{word} is of the test, and --width makes none: leave one of them out"
                    )
            return ComparisonRule.to_width(self.width, self.batch, self.max_pairs, luck=luck)
        test = SequentialTest(self.elo0, self.elo1, self.alpha, self.beta, luck)
        if self.sprt is not None:
            test = sprt_of(self.sprt, self.alpha, self.beta, ("elo0", "elo1"))
        return ComparisonRule(test, self.batch, self.max_pairs)


@opt.command(
    "compare",
    _CompareRequest,
    examples=(
        "tourney compare ./mybot greedy --game sages-tafl",
        "tourney compare ./new ./old --game chess --clock 8+0.08 --opening-book UHO.epd --sprt 0 2",
        "tourney compare cup.toml#a cup.toml#b --game chess --move-ms 100 --width 20",
    ),
)
@click.argument("a", shell_complete=complete_bot)
@click.argument("b", shell_complete=complete_bot)
def command(a: str, b: str, options: _CompareRequest) -> None:
    """Find out whether bot A is better than bot B: play until the result is significant.

    A and B are names of stored bots, paths, programs on PATH (`stockfish`, `xboard:phalanx`), or entrants of
    tournament files (`cup.toml#a`). A program is asked for its protocol if none is named.

    They play pairs of games that share dice and opening, with each bot once in each seat. After every batch
    of pairs a sequential test, that of `tourney gate`, looks for proof of H1, "A is more than elo0 better",
    and of H0, "A is less than elo1 better", and play ends when it has one. The interval of Elo lies above
    elo0 exactly when H1 is proven. Faults count as losses. The same command continues where it stopped, and
    shows the result once the comparison has ended.

    With --sprt the test is the pentanomial GSPRT, as fishtest and fastchess print it: 5 to 15 % quicker
    between its bounds, but its error rates hold approximately and at the bounds only, luck is not subtracted,
    and the interval does not decide.

    With --width no test is made: play ends when the Elo difference is known that well. The interval may be
    watched while it narrows (95 % at every look).

    Exits with code 1 if a bot started in none of its matches, as with an option that it does not have.
    """
    entrants = options.pairs.entrants((a, b), options.asking.bots)
    words = (options.args_a, options.args_b)
    pairs = zip(entrants.lines, words, strict=True)
    lines = tuple(replace(line, args=(*line.args, *more)) for line, more in pairs)
    question = options.pairs.question(options.rule(), entrants._replace(lines=lines), name=options.name)
    answer = options.asking.ask(question, f"{a} v {b}")
    print_answer(answer, _print, [answer.result], COLUMNS)
    if answer.unstarted:
        raise CheckError(answer.unstarted)


def _print(result: ComparisonResult) -> None:
    output = current()
    values = asdict(result) | {"distinct": distinct_text(result)}
    output.write(result.sentence())
    if evidence := result.evidence_sentence():
        output.write(evidence)
    for warning in warnings(result, result.a, result.b):
        output.write(warning)
    shown = [
        {"figure": title, "value": values[key]} for key, title in SHOWN.items() if values[key] is not None
    ]
    output.table(shown, ("figure", Column("value", right=True)))
