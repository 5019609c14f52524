"""``tourney gate``: accept or reject a bot, for continuous integration."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import click
from msgspec.structs import replace

from tourney.addons.lab import gate_forms as forms
from tourney.addons.lab.commands.bots.baselines import baselines_of
from tourney.addons.lab.commands.questions import PAIRS, AskingOptions, PairOptions, print_answer, sprt_of
from tourney.addons.lab.gate import GateRule
from tourney.addons.lab.results import GateResult
from tourney.bots.catalogue.store import BotStore
from tourney.cli import options as opt
from tourney.cli.completion import complete_bot
from tourney.cli.options import option
from tourney.cli.output import OutputFormat, current, document_text
from tourney.errors import BotError, EnvironmentFailure, UsageError
from tourney.files import check_writable, write_file
from tourney.results.columns import Column
from tourney.run.file_schema import EntrantLine
from tourney.run.summary import End

EXIT_CODES: Final[Mapping[str, int]] = {"accepted": 0, "rejected": 1, "undecided": 4}
GAIN: Final = 5.0
"""The gain to prove, if neither bound is given."""


WRITERS: Final[Mapping[OutputFormat, Callable[[GateResult], str]]] = {
    OutputFormat.MARKDOWN: forms.markdown,
    OutputFormat.JSON: document_text,
    OutputFormat.JUNIT: forms.junit,
}
SUFFIXES: Final = {".md": OutputFormat.MARKDOWN, ".json": OutputFormat.JSON, ".xml": OutputFormat.JUNIT}


class GateCommand(opt.HelpCommand):
    """A command whose option ``--against`` takes all words up to the next option, also none."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give each of these words an ``--against`` of its own."""
        return super().parse_args(ctx, list(_spread(args)))


def _spread(args: Sequence[str]) -> Iterator[str]:
    taking = False
    for place, word in enumerate(args):
        if word == "--":  # all further words are arguments, even if they begin with a hyphen
            yield from args[place:]
            return
        if word.startswith("-") and word != "-":
            taking = word == "--against"
            if not taking:
                yield word
        elif taking:
            # One word, so that a bot called "-x" is not taken for an option.
            yield f"--against={word}"
        else:
            yield word


def _files(_ctx: click.Context, _param: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    for path in paths:
        if path.suffix not in SUFFIXES:
            raise UsageError(f"--out {path} must end in {', '.join(SUFFIXES)}, which says the format")
    return paths


class _GateRequest(opt.CommandOptions):
    group = "The verdict"
    against: tuple[str, ...] = option(
        "--against BOT...",
        "Baselines to compare with: names or paths, up to the next option. [default: the game's"
        " baselines, see `tourney bots promote`]",
        shell_complete=complete_bot,
    )
    gain: float | None = option(
        "--gain ELO",
        "Reject the candidate once it is proven to gain less. [default: 5; 0 with --no-regression]",
    )
    no_regression: float | None = option(
        "--no-regression ELO",
        "Accept the candidate once it is proven to be better than this, such as -5. [default: 0]",
    )
    sprt: tuple[float, float] | None = option(
        "--sprt ELO0 ELO1",
        "Instead of --no-regression and --gain: the pentanomial GSPRT of fishtest and fastchess between these"
        " bounds, against one baseline.",
        nargs=2,
        type=float,
    )
    alpha: float = option(
        "--alpha",
        "Probability of proving anything better that is not, over all baselines and looks.",
        default=0.05,
    )
    beta: float = option(
        "--beta",
        "Probability of proving anything worse that is not, over all baselines and looks.",
        default=0.05,
    )
    max_pairs: int | None = option(
        "--max-pairs PAIRS",
        "Stop after this many against each baseline, in whole batches; a later command may allow more."
        " [default: no limit]",
    )
    batch: int = option(
        "--batch PAIRS", "Pairs of games against each baseline between checks.", type=PAIRS, default=16
    )
    max_faults: int = option(
        "--max-faults N", "Reject the candidate once it has this many faults.", default=1
    )
    words: tuple[str, ...] = opt.shared(opt.args_option("candidate"))
    pairs: PairOptions
    asking: AskingOptions
    format_: object = opt.formats(GateResult, formats=("text", *(writer.value for writer in WRITERS)))
    files: tuple[Path, ...] = option(
        "--out FILE",
        "Also write the verdict to a file: .md, .json, or .xml (JUnit); repeatable.",
        multiple=True,
        callback=_files,
    )

    def rule(self) -> GateRule:
        """The rule of the gate. Raises UsageError."""
        low = self.no_regression or 0.0
        high = self.gain
        if high is None:
            high = GAIN if self.no_regression is None else 0.0
        # A batch is never larger than the limit, which is counted in whole batches.
        batch = min(self.batch, self.max_pairs or self.batch)
        luck = not self.pairs.no_luck
        if self.sprt is not None:
            test = sprt_of(self.sprt, self.alpha, self.beta, ("gain", "no_regression"))
            return GateRule(
                *(test.elo0, test.elo1, test.alpha, test.beta, batch, self.max_faults, self.max_pairs),
                sprt=True,
            )
        return GateRule(low, high, self.alpha, self.beta, batch, self.max_faults, self.max_pairs, luck)


@opt.command(
    "gate",
    _GateRequest,
    cls=GateCommand,
    examples=(
        "tourney gate ./mybot --game sages-tafl --against greedy",
        "tourney gate ./mybot --game sages-tafl --no-regression -5 --out verdict.md",
        "tourney gate ./new --against ./old --game chess --clock 8+0.08 --sprt 0 2",
    ),
)
@click.argument("candidate", shell_complete=complete_bot)
def command(candidate: str, options: _GateRequest) -> None:
    """Accept or reject CANDIDATE by games against baselines, for continuous integration.

    CANDIDATE and the baselines are names, paths, programs on PATH (`stockfish`, `xboard:phalanx`), or
    entrants of tournament files (`cup.toml#a`).

    Exit code 0: accepted, it is proven to be better than --no-regression against every baseline. 1: rejected,
    it is proven to gain less than --gain against one, it was at fault, or it cannot be built or started;
    its log is in the verdict. 4: undecided. The error rates hold over all baselines, however often one looks.

    Decisions fall after whole batches in schedule order, so the number of workers changes nothing. A signal,
    --stop-at and --stop-after decide only when to stop: then the verdict is undecided, and the same command
    goes on with the same database.
    """
    for path in options.files:
        check_writable(path)
    baselines = () if options.against else _baselines(options)
    entrants = options.pairs.entrants((candidate, *options.against), options.asking.bots)
    first, *others = entrants.lines
    first = replace(first, args=(*first.args, *options.words))
    entrants = entrants._replace(lines=(first, *others, *baselines))
    answer = options.asking.ask(options.pairs.question(options.rule(), entrants), f"gate of {candidate}")
    result = answer.result
    for path in options.files:
        write_file(path, f"{WRITERS[SUFFIXES[path.suffix]](result)}\n".encode())
    print_answer(answer, _print)
    if answer.summary is not None and answer.summary.end is End.TIME:
        current().say(
            "the time is up, which decides when to stop and nothing else: run the command again to go on"
        )
    if result.reason == "baseline":
        raise EnvironmentFailure(
            answer.unstarted
            or "a baseline fails on this machine, so there is nothing to compare with: run `tourney bots"
            " check` on it"
        )
    sys.exit(EXIT_CODES[result.verdict])


def _baselines(options: _GateRequest) -> tuple[EntrantLine, ...]:
    """The promoted baselines of a game as entrants. Raises UsageError if there are none."""
    db = options.asking.db
    bots = options.asking.bots
    game = options.pairs.game
    baselines = baselines_of(db, game)
    if not baselines:
        raise UsageError(
            f"there is no baseline of {game}: name one by --against BOT, or make one by"
            f" `tourney bots promote BOT --game {game}`"
        )
    store = BotStore(Path(bots))
    for baseline in baselines:
        try:
            store.provide(baseline.digest)
        except BotError as error:
            raise UsageError(
                f"the files of the baseline {baseline.name} are not in the bot store {bots}: keep that"
                f" folder with the database, or promote a bot again ({error})"
            ) from error
    return tuple(
        EntrantLine(baseline.digest, baseline.name, baseline.promotion.args) for baseline in baselines
    )


def _print(result: GateResult) -> None:
    output = current()
    if write := WRITERS.get(output.format):
        output.write(write(result))
        return
    output.write(f"{forms.verdict_text(result)}\n")
    columns = [Column(name, name, right=place > 1) for place, name in enumerate(forms.COLUMNS)]
    output.table(forms.versus_rows(result), columns)
    output.write(f"\n{forms.rule_text(result)}")
    if result.log:
        output.write("\n".join((f"\n{forms.log_title(result)}:\n", *result.log)))
    if result.gate:
        output.write(f"\nStored as {result.gate}: see `tourney report {result.gate}`")
