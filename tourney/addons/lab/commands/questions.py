"""The shared parts of ``compare``, ``gate`` and ``ladder``: options, play, and the end of the command."""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from tourney.addons.lab.asking import Answer, BotQuestion, ask
from tourney.addons.lab.question import QuestionRule
from tourney.cli import options as opt
from tourney.cli.entrant_options import EntrantOptions, NamedEntrants
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.cli.run_options import DeadlineOptions, play_request, workers_option
from tourney.errors import UsageError
from tourney.match.spec import FUEL_PER_MS, Charge
from tourney.ratings.sequential import SequentialTest
from tourney.run.engine.run_control import Deadline
from tourney.run.tournament_file import clock_limits, read_terms, toml_values
from tourney.schema import Document, Part, SandboxLevel
from tourney.store.values import RunSettings

R = TypeVar("R", bound=Document)


PAIRS = click.IntRange(1, 100_000)
"""The pairs of a batch."""


class PairOptions(opt.CommandOptions):
    """The options of mirrored pairs of games."""

    group = "Games"

    game: str = option("--game GAME", "Game to play.", required=True)
    programs: EntrantOptions
    move_ms: int = opt.shared(opt.move_ms_option("Time per action; with a clock there is none by default."))
    limits_file: Path | None = option(
        "--limits FILE",
        "Play by the [limits] and the openings of a tournament file; other options go before it.",
        type=click.Path(path_type=Path),
    )
    clock: str | None = option(
        "--clock [N/]SECONDS[+INC]",
        "Time per match, or again after each N actions, and more for each action: 8+0.08, 40/60.",
    )
    nodes: int | None = option("--nodes N", "Nodes per action, which bots are to keep.")
    limit: tuple[str, ...] = option(
        "--limit KEY=VALUE", "A key of [limits], as 'resign={movecount = 3, score = 600}'; repeatable."
    )
    book: Path | None = option(
        "--opening-book FILE",
        "Openings: a line of actions each or, for chess, .epd, .pgn or .bin.",
        type=click.Path(path_type=Path),
    )
    no_luck: bool = option("--no-luck", "Leave the luck of the dice in the scores of pairs.")
    charge: Charge = opt.shared(opt.charge_option(*opt.CHARGES))
    fuel_per_ms: int | None = option(
        "--fuel-per-ms N",
        f"Units of work that count as a millisecond, with --charge fuel. [default: {FUEL_PER_MS}]",
        type=click.IntRange(1_000, 1_000_000_000),
    )
    opening_plies: int | None = option(
        "--opening-plies N",
        "Random actions at the start of each pair. [default: 4; 0 in games with dice or hidden actions]",
        type=click.IntRange(0, 200),
    )
    seed: int | None = opt.shared(opt.seed_option)
    sandbox: SandboxLevel = opt.shared(opt.sandbox_option)
    reuse: bool = opt.shared(opt.reuse_option)

    def entrants(self, references: Sequence[str], bots: str) -> NamedEntrants:
        """The entrants that a command line names. Raises UsageError and BotError."""
        return self.programs.read(self.game, references, bots=bots, sandbox=self.sandbox)

    def question(
        self, rule: QuestionRule[R], entrants: NamedEntrants, name: str | None = None
    ) -> BotQuestion[R]:
        """A question to be played so. Raises UsageError."""
        if self.fuel_per_ms is not None and self.charge != "fuel":
            raise UsageError(
                "--fuel-per-ms says what a millisecond of --charge fuel is: give both, or neither"
            )
        terms, limits = read_terms(self.limits_file, self._limits())
        book = self.book
        plies = self.opening_plies
        if book is None and self.limits_file is not None and terms.opening_book is not None:
            book = self.limits_file.parent / terms.opening_book
        return BotQuestion(
            rule,
            entrants.lines,
            self.game,
            options=entrants.game_options,
            limits=limits,
            opening_plies=terms.opening_plies if plies is None else plies,
            book=book,
            opening_order=terms.opening_order,
            seed=self.seed,
            name=name,
            any_memory=terms.limits.memory_mb is None,
            run=RunSettings(reuse=self.reuse, sandbox=self.sandbox),
        )

    def _limits(self) -> dict[str, object]:
        limits = dict(toml_values("--limit", self.limit))
        if self.clock is not None:
            limits |= clock_limits(self.clock)
        named = {"nodes": self.nodes, "fuel_per_ms": self.fuel_per_ms}
        named |= {key: getattr(self, key) for key in ("move_ms", "charge") if opt.is_given(key)}
        return limits | {key.replace("_", "-"): value for key, value in named.items() if value is not None}


class AskingOptions(opt.CommandOptions):
    """The place and the time limit of a question's games."""

    group = "Run"

    workers: int | None = opt.shared(workers_option())
    end: DeadlineOptions
    allow_weaker: bool = opt.shared(opt.allow_weaker_option)
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)

    def ask(self, question: BotQuestion[R], title: str, deadline: Deadline | None = None) -> Answer[R]:
        """Play until the question is answered, with progress under a title."""
        ends = deadline or self.end.deadline()
        allow = self.allow_weaker
        play = partial(ask, question, self.db, Path(self.bots), deadline=ends, allow_weaker=allow)
        return play_request(current(), title, self.workers, play)


def sprt_of(
    bounds: tuple[float, float], alpha: float, beta: float, instead_of: Sequence[str]
) -> SequentialTest:
    """The test of ``--sprt``. Raises UsageError beside the options that it stands for."""
    for name in instead_of:
        if opt.is_given(name):
            raise UsageError(f"--sprt names both bounds: leave out --{name.replace('_', '-')}")
    return SequentialTest(*bounds, alpha, beta, sprt=True)


def print_answer(
    answer: Answer[R],
    text: Callable[[R], None],
    rows: Iterable[Part] = (),
    columns: Sequence[str] = (),
) -> None:
    """Print an answer, as JSON, as CSV or by ``text``; exit if a signal ended the run."""
    output = current()
    if output.people:
        text(answer.result)
    else:
        output.document(answer.result)
        output.table(rows, columns)
    if answer.summary is not None and answer.summary.signal:
        sys.exit(128 + answer.summary.signal)
