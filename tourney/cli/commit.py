"""``tourney commit``: fix a tournament's plan, entrants and seed before round 1."""

from pathlib import Path
from typing import Literal

import click

from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.cli.run_options import ProcessorOptions
from tourney.games.registry import find_game
from tourney.results.texts import origin_text
from tourney.run.engine.readiness import PlaySetup
from tourney.run.engine.tournament_run import commit_tournament
from tourney.run.tournament_file import read_tournament_file
from tourney.schema import Document


class CommitDocument(Document, frozen=True, kw_only=True):
    """The commitment to a tournament. `seed` says where its seed comes from."""

    format: Literal["tourney-commit/1"] = "tourney-commit/1"
    tournament: str
    commitment: str
    seed: str


class _CommitRequest(opt.CommandOptions):
    processors: ProcessorOptions
    format_: object = opt.formats(CommitDocument, formats=opt.TEXT)
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)


@opt.command("commit", _CommitRequest)
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path, options: _CommitRequest) -> None:
    """Start the tournament of FILE without playing, and print its commitment.

    The commitment fixes the plan, the entrants with the digests of their bots, and the seed, without telling
    the seed. Publish it before round 1; then `tourney run FILE` plays. The end opens the seed, and
    `tourney verify --commitment` compares both. With `beacon` in the file the seed follows from the
    commitment and from a public value that does not exist yet, so it cannot be chosen. Give the
    --workers and --cpus of the run: if the file has no `ponder`, they decide it.
    """
    output = current()
    tournament, commitment = commit_tournament(
        read_tournament_file(file),
        options.db,
        Path(options.bots),
        output.say,
        PlaySetup(pinning=options.processors.pinning(), commits=True),
    )
    origin = origin_text(tournament, find_game(tournament.game))
    output.document(CommitDocument(tournament=tournament.name, commitment=commitment, seed=origin))
    output.text(f"{tournament.name}: commitment {commitment}; seed: {origin}")
