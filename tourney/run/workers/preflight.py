"""Preflight: asks each host what it is, gives it the bots, and compares it with the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.store import BotStore
from tourney.errors import TourneyError
from tourney.run.workers.executor import Run
from tourney.run.workers.host import about, pack_bot
from tourney.run.workers.link import Link, Node
from tourney.run.workers.wire import About, BotsAnswer, Question, WrongReplyError, decode, encode

FIELDS: Final[Mapping[str, str]] = {
    "version": "the version of Tourney",
    "rules": "the rules of the game",
    "python": "Python",
    "cores": "the compiled form of the rules",
    "sandbox": "the sandbox",
}
"""What has to be equal, in words."""
HERE: Final = "this machine"
FAST: Final = 110
"""Hosts are unlike when the fastest has more than this many percent of the slowest one's speed."""


@dataclass(frozen=True, slots=True)
class Introduced:
    """A node with what it says of itself. ``problem``: why it gets no match, or ""."""

    node: Node
    about: About
    problem: str = ""

    @property
    def host(self) -> str:
        """The host beside records: what it calls itself, then its machine as the coordinator knows it."""
        name = "".join(c for c in self.about.host if c.isascii() and (c.isalnum() or c in ".-_"))[:60]
        return f"{name}/{self.node.machine}" if name else self.node.machine


def introduce(link: Link, node: Node, run: Run, session: str) -> Introduced:
    """Ask a node what it is, and bring the bots that it lacks to it; it builds them."""
    said = About()
    try:
        said = _ask_about(link, node, run, session)
        problem = said.problem or _provide(link, node, run, session)
    except (WrongReplyError, TourneyError, OSError) as error:
        problem = str(error) or type(error).__name__
    return Introduced(node, said, _one_line(problem))


def mixed(found: Sequence[Introduced], run: Run) -> str:
    """Return a sentence on the first field in which hosts differ, or ""."""
    here = about(run.game, run.sandbox)
    for field, words in FIELDS.items():
        values: dict[str, str] = {}
        if field in ("version", "rules"):  # records are verified here
            values[getattr(here, field)] = HERE
        for one in found:
            values.setdefault(getattr(one.about, field), one.host)
        if len(values) > 1:
            first, second, *_ = values.items()
            return (
                f"hosts differ in {words}: {_one_line(first[0])[:80]} on {first[1]},"
                f" {_one_line(second[0])[:80]} on {second[1]}"
            )
    return ""


def speeds_text(found: Sequence[Introduced], run: Run) -> str:
    """Return a message where hosts are unlike and the clock is that of the wall, or ""."""
    limits = run.limits
    by_time = limits.move_ms is not None or limits.clock_ms is not None
    speeds = sorted((one.about.speed, one.host) for one in found if one.about.speed)
    if not by_time or not speeds or 100 * speeds[-1][0] <= FAST * speeds[0][0]:
        return ""
    (slow, slowest), (fast, fastest) = speeds[0], speeds[-1]
    text = f"hosts are unlike: {fastest} is {100 * fast // slow - 100} % faster than {slowest}"
    if limits.charge == "wall":
        return (
            f'{text}, and charge = "wall" lets a match depend on its host; fair across hosts are'
            ' charge = "fuel", nodes, and with less certainty charge = "cpu"'
        )
    return text


def _ask_about(link: Link, node: Node, run: Run, session: str) -> About:
    question = Question("about", session, run.game, run.sandbox)
    said: About = decode(link.ask(node.address, encode(question)), About)
    return said


def _provide(link: Link, node: Node, run: Run, session: str) -> str:
    """Bring missing bots to a node; return why it cannot play them, or ""."""
    store = BotStore(Path(run.bots))
    question = encode(Question("bots", session, run.game, run.sandbox, run.digests))
    said: BotsAnswer = decode(link.ask(node.address, question), BotsAnswer)
    missing = [digest for digest in said.missing if digest in run.digests]
    for digest in missing:
        order = encode(Question("add", session, digests=(digest,)))
        added: BotsAnswer = decode(link.ask(node.address, order, pack_bot(store.fetch(digest))), BotsAnswer)
        if added.problem:
            return f"it cannot take the bot {digest[:12]}: {added.problem}"
    if missing:
        said = decode(link.ask(node.address, question), BotsAnswer)
    if said.problem:
        return said.problem
    if said.missing:
        return f"it lacks the bot {said.missing[0][:12]} after it was sent"
    for digest, why in said.broken.items():
        return f"it cannot start the bot {digest[:12]}: {why}"
    return ""


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:400]
