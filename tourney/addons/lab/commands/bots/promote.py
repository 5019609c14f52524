"""``tourney bots promote``: make a bot a baseline of a game."""

from datetime import UTC, datetime
from pathlib import Path

import click

from tourney.addons.lab.commands.bots.baselines import BaselinesDocument, beat_text, label_of, print_baselines
from tourney.addons.lab.gate import GateFormat, GateRule
from tourney.addons.lab.results import GateResult
from tourney.bots.catalogue.store import BotStore, StoredBot, resolve_bot
from tourney.cli import options as opt
from tourney.cli.completion import complete_bot
from tourney.cli.options import option
from tourney.errors import CheckError, UsageError
from tourney.games.registry import find_game
from tourney.schema import NAME
from tourney.store.baselines import Baseline, Beaten, Promotion
from tourney.store.database import Database


class _PromoteRequest(opt.CommandOptions):
    game: str | None = option("--game GAME", "Game. [default: the bot's only one]")
    name: str | None = option("--name NAME", "Name of the baseline. [default: the bot's]")
    words: tuple[str, ...] = opt.shared(opt.args_option("bot"))
    force: bool = option("--force", "Promote the bot although no gate accepted it.")
    undo: bool = option("--undo", "Take back the last promotion of BOT, the name of a baseline.")
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)
    format_: object = opt.formats(BaselinesDocument, formats=opt.TEXT)


@opt.command("promote", _PromoteRequest)
@click.argument("bot", shell_complete=complete_bot)
def command(bot: str, options: _PromoteRequest) -> None:
    """Make a bot a baseline of a game, which `tourney gate` compares candidates with.

    The database keeps whom the bot beat, by how much, and in which gate. It replaces the baseline of its
    name, which --undo brings back; baselines of other names stay. Exit code 1: the bot has not been accepted
    by a gate against all baselines of the game.
    """
    if options.undo:
        with Database.open(options.db, write=True) as database:
            last, before = database.baselines.demote(options.game or _game_of(database, bot), bot)
        text = f"{label_of(last)} is not a baseline of {last.game} any more"
        text += f"; {label_of(before)} is it again" if before is not None else ""
        print_baselines([] if before is None else [before], text)
        return
    stored = resolve_bot(bot, BotStore(Path(options.bots)))
    game = find_game(options.game or _only_game(stored)).name
    if not stored.manifest.plays(game):
        raise UsageError(f"{stored.label} does not play {game}; it plays {', '.join(stored.manifest.games)}")
    name = options.name or stored.manifest.name
    if NAME.fullmatch(name) is None:
        raise UsageError(f"--name {name!r} is not a name for a baseline ({NAME.pattern})")
    with Database.open(options.db, create=True) as opened, opened.transaction() as database:
        made = promote_bot(database, stored, game, name, options.words, force=options.force)
    beat = beat_text(made)
    text = f"{label_of(made)} is a baseline of {game}" + (f": it beat {beat}" if beat else "")
    print_baselines([made], text)


def _only_game(bot: StoredBot) -> str:
    games = bot.manifest.games
    if len(games) != 1:
        raise UsageError(f"{bot.label} plays {'several' if games else 'any'} games: name one by --game GAME")
    return games[0]


def _game_of(database: Database, name: str) -> str:
    games = [baseline.game for baseline in database.baselines.all() if baseline.name == name]
    if len(games) > 1:
        raise UsageError(f"{name} is a baseline of {', '.join(games)}: name one by --game GAME")
    return games[0] if games else "any game"


def promote_bot(
    database: Database, bot: StoredBot, game: str, name: str, args: tuple[str, ...], *, force: bool
) -> Baseline:
    """Make a bot the baseline of a game under a name, with whom it beat in its last accepted gate.

    The first baseline of a game needs no gate. Raises CheckError for a bot that has not been accepted against
    all baselines of the game, unless ``force``, and for one that is the baseline of that name already.
    """
    current = database.baselines.all(game)
    for baseline in current:
        if baseline.name == name and (baseline.digest, baseline.promotion.args) == (bot.digest, args):
            raise CheckError(f"{bot.label} is the baseline {name} of {game} already")
    gate = accepted_gate(database, bot.digest, args, game)
    against = () if gate is None else gate.against
    beaten = {(baseline.digest, baseline.args) for baseline in against}
    left = [baseline.name for baseline in current if (baseline.digest, baseline.promotion.args) not in beaten]
    if left and not force:
        raise CheckError(
            f"{bot.label} has not been accepted against {', '.join(left)}, the baseline of {game}: run"
            f" `tourney gate {name} --game {game}` first, or promote it anyway by --force"
        )
    promotion = Promotion(
        bot.manifest.name,
        bot.manifest.version,
        args,
        datetime.now(UTC).isoformat(timespec="seconds"),
        (gate and gate.gate) or "",
        tuple(
            Beaten(
                baseline.name,
                baseline.version,
                baseline.digest,
                baseline.elo or 0.0,
                baseline.low,
                baseline.high,
                baseline.pairs,
            )
            for baseline in against
        ),
    )
    return database.baselines.promote(game, name, bot.digest, promotion)


def accepted_gate(database: Database, digest: str, args: tuple[str, ...], game: str) -> GateResult | None:
    """The verdict of the last gate of a game that accepted this bot, or None."""
    for tournament in reversed(database.tournaments.all()):
        if tournament.plan.format != GateFormat.name or tournament.game != game:
            continue
        candidate = database.tournaments.entrants(tournament.id)[0].entrant
        if (candidate.digest, candidate.args) == (digest, args):
            result = GateRule.of(tournament.plan.extra).result(database, tournament)
            if result.verdict == "accepted":
                return result
    return None
