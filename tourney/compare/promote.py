"""``tourney bots promote``: make a bot a baseline, with what it beat in gates as the reason."""

from datetime import UTC, datetime

from tourney.bots.catalogue.store import StoredBot
from tourney.compare.gate import GateFormat, GateRule
from tourney.compare.question_results import GateResult
from tourney.errors import CheckError
from tourney.store.baselines import Baseline, Beaten, Promotion
from tourney.store.database import Database


def promote_bot(
    database: Database, bot: StoredBot, game: str, name: str, args: tuple[str, ...], *, force: bool
) -> Baseline:
    """Make a bot the baseline of a game under a name, with whom it beat in its last accepted gate.

    The first baseline of a game needs no gate. Raises CheckError for a bot that has not been accepted against
    all baselines of the game, unless ``force``, and for one that is the baseline of that name already.
    """
    current = database.baselines.all(game)
    for one in current:
        if one.name == name and (one.digest, one.promotion.args) == (bot.digest, args):
            raise CheckError(f"{bot.label} is the baseline {name} of {game} already")
    gate = accepted_gate(database, bot.digest, args, game)
    against = () if gate is None else gate.against
    beaten = {(one.digest, one.args) for one in against}
    left = [one.name for one in current if (one.digest, one.promotion.args) not in beaten]
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
        "" if gate is None else gate.gate or "",
        tuple(
            Beaten(one.name, one.version, one.digest, one.elo or 0.0, one.low, one.high, one.pairs)
            for one in against
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
