"""``tourney audit``: results that are not independent."""

from typing import Literal

from tourney.cli import options as opt
from tourney.cli.luck import compute_luck_shown
from tourney.cli.output import current
from tourney.cli.standings import name_default
from tourney.results.audit import UNSEEN, AuditFinding, audit
from tourney.results.columns import Column
from tourney.schema import Document
from tourney.store.database import Database


class AuditDocument(Document, frozen=True, kw_only=True):
    """What makes the results of a tournament look dependent; none of it proves anything."""

    format: Literal["tourney-audit/1"] = "tourney-audit/1"
    tournament: str
    findings: tuple[AuditFinding, ...]


COLUMNS = (Column("kind"), Column("bots"), Column("text", "what was seen"))


@opt.command("audit")
@opt.tournament_argument
@opt.db_option
@opt.formats_option(AuditDocument)
def command(tournament: str | None, db: str) -> None:
    """Look for results of TOURNAMENT (default: the newest) that are not independent.

    Names pairs whose games repeat; bots that are the same program under two names, by their files or by equal
    answers to the same positions; bots that score less against one rival than all other games let expect;
    bots that resign or fail far more often in games lost to one rival than in others; bots to which the dice
    were too kind; and bots whose time a turn depends on the opponent. Of each kind that rests on chance there
    is a false finding in at most 1 % of tournaments, and every finding has innocent explanations too. What
    the audit cannot see stands on standard error.
    """
    with Database.open(db) as opened:
        stored = opened.tournaments.get(tournament)
        compute_luck_shown(opened, stored)
        with opened.snapshot() as database:
            lines = tuple(audit(database, stored))
            name_default(tournament, stored, database)
    output = current()
    output.document(AuditDocument(tournament=stored.name, findings=lines))
    rows = (
        {"kind": finding.kind, "bots": ", ".join(finding.bots), "text": finding.text} for finding in lines
    )
    output.table(rows, COLUMNS)
    if output.people:
        for sentence in (*(() if lines else ("nothing looks dependent",)), *UNSEEN):
            output.say(sentence)
