"""What ``compare``, ``gate`` and ``ladder`` share: options, play, and the end of the command."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from tourney.cli.completion import complete_game
from tourney.cli.options import (
    CHARGES,
    bots_option,
    charge_option,
    db_option,
    game_option,
    move_ms_option,
    option,
    reuse_option,
    sandbox_option,
    seed_option,
    shared,
)
from tourney.cli.output import OutputFormat, current
from tourney.cli.run_options import DeadlineOptions, play_request, workers_option
from tourney.compare.asking import Answer, BotQuestion, ask
from tourney.compare.question import QuestionRule
from tourney.compare.question_results import QuestionResult
from tourney.errors import UsageError
from tourney.match.spec import FUEL_PER_MS, Charge
from tourney.run.config.command_line import clock_limits, read_terms, toml_values
from tourney.run.config.file_schema import EntrantLine
from tourney.store.values import RunSettings, SandboxLevel

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R", bound=QuestionResult)


def max_faults_option(help_: str, default: int) -> Callable[[F], F]:
    """Add ``--max-faults N``; the command gets ``max_faults``."""
    return click.option(
        "--max-faults",
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        metavar="N",
        help=help_,
    )


def error_rate_option(name: str, help_: str) -> Callable[[F], F]:
    """Add ``--alpha`` or ``--beta``, the probability of a wrong answer."""
    return click.option(name, type=float, default=0.05, show_default=True, help=help_)


def batch_option(default: int, help_: str) -> Callable[[F], F]:
    """Add ``--batch PAIRS``; the command gets ``batch``."""
    return click.option(
        "--batch",
        type=click.IntRange(1, 100_000),
        default=default,
        show_default=True,
        metavar="PAIRS",
        help=help_,
    )


def max_pairs_option(help_: str) -> Callable[[F], F]:
    """Add ``--max-pairs PAIRS``; the command gets ``max_pairs``, or None."""
    return click.option(
        "--max-pairs", type=click.IntRange(1), metavar="PAIRS", help=f"{help_} [default: no limit]"
    )


@dataclass(frozen=True, slots=True)
class PairOptions:
    """How bots play mirrored pairs of games."""

    game: str = option(
        "--game", required=True, metavar="GAME", shell_complete=complete_game, help="Game to play."
    )
    options: dict[str, str] = shared(game_option)
    move_ms: int = shared(move_ms_option("Time per action; with a clock there is none by default."))
    limits_file: Path | None = option(
        "--limits",
        "limits_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Play by the [limits] and the openings of a tournament file; other options go before it.",
    )
    clock: str | None = option(
        "--clock", metavar="SECONDS[+INC]", help="Time per match, and more for each action, as 8+0.08."
    )
    nodes: int | None = option(
        "--nodes", type=click.IntRange(1), metavar="N", help="Nodes per action, which bots are to keep."
    )
    limit: tuple[str, ...] = option(
        "--limit",
        multiple=True,
        metavar="KEY=VALUE",
        help="A key of [limits], as 'resign={movecount = 3, score = 600}'; repeatable.",
    )
    book: Path | None = option(
        "--opening-book",
        "book",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Openings: a line of actions each or, for chess, .epd or .pgn.",
    )
    charge: Charge = shared(charge_option(*CHARGES))
    fuel_per_ms: int | None = option(
        "--fuel-per-ms",
        type=click.IntRange(1_000, 1_000_000_000),
        metavar="N",
        help=f"Units of work that count as a millisecond, with --charge fuel. [default: {FUEL_PER_MS}]",
    )
    opening_plies: int | None = option(
        "--opening-plies",
        type=click.IntRange(0, 200),
        metavar="N",
        help="Random actions at the start of each pair. [default: 4; 0 in games with dice or hidden actions]",
    )
    seed: int | None = shared(seed_option)
    sandbox: SandboxLevel = shared(sandbox_option)
    reuse: bool = shared(reuse_option)

    def question(
        self, rule: QuestionRule[R], bots: tuple[EntrantLine, ...], name: str | None = None
    ) -> BotQuestion[R]:
        """A question to be played so. Raises UsageError."""
        if self.fuel_per_ms is not None and self.charge != "fuel":
            raise UsageError(
                "--fuel-per-ms says what a millisecond of --charge fuel is: give both, or neither"
            )
        terms, limits = read_terms(self.limits_file, self._limits())
        book, plies = self.book, self.opening_plies
        if book is None and self.limits_file is not None and terms.opening_book is not None:
            book = self.limits_file.parent / terms.opening_book
        return BotQuestion(
            rule,
            bots,
            self.game,
            options=self.options,
            limits=limits,
            opening_plies=terms.opening_plies if plies is None else plies,
            book=book,
            opening_order=terms.opening_order,
            seed=self.seed,
            name=name,
            run=RunSettings(reuse=self.reuse, sandbox=self.sandbox),
        )

    def _limits(self) -> dict[str, object]:
        """The limits that the command line names."""
        context, found = click.get_current_context(), dict(toml_values("--limit", self.limit))
        if self.clock is not None:
            found |= clock_limits(self.clock)
        written = {key: getattr(self, key) for key in ("move_ms", "charge") if _is_written(context, key)}
        named = {"nodes": self.nodes, "fuel_per_ms": self.fuel_per_ms, **written}
        return found | {key.replace("_", "-"): value for key, value in named.items() if value is not None}


def _is_written(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingOptions:
    """Where and how long a question is played."""

    workers: int | None = shared(workers_option())
    end: DeadlineOptions
    db: str = shared(db_option)
    bots: str = shared(bots_option)

    def ask(self, question: BotQuestion[R], title: str) -> Answer[R]:
        """Play until the question is answered, with progress under a title."""
        play: Callable[..., Answer[R]] = partial(
            ask, question, self.db, Path(self.bots), deadline=self.end.deadline()
        )
        return play_request(current(), title, self.workers, play)


def print_answer(
    answer: Answer[R], format_: OutputFormat, printers: Mapping[OutputFormat, Callable[[R], None]]
) -> None:
    """Print an answer, as JSON or by the printer of the format; exit if a signal ended the run."""
    if format_ is OutputFormat.JSON:
        current().document(answer.result)
    else:
        printers[format_](answer.result)
    if answer.summary is not None and answer.summary.signal:
        sys.exit(128 + answer.summary.signal)
