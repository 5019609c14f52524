"""Leagues for tests: nights in this process, on made-up results or really played ones."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.executors import FuturesExecutor, Immediate
from tests.support.genuine import play
from tourney.addons.league.folder import League, make_league
from tourney.addons.league.night_play import NightPlan
from tourney.addons.league.nights import NightEnd, run_night
from tourney.run.engine.readiness import Pinning
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply

NOW = datetime(2026, 11, 26, 22, tzinfo=UTC)


def new_league(folder: Path, more: str = "") -> League:
    """Make a league of trusted bots; ``more`` begins its league file."""
    path = make_league(folder / "stones", "sage-stones", NOW)
    path.write_text(f'{more}\nsandbox = "off"\n{path.read_text()}')
    return League.open(path.parent)


def reopened(league: League) -> League:
    """Read the league again."""
    return League.open(league.folder)


def put(league: League, author: str, bot: str, text: str = "", name: str = "") -> Path:
    """Put a bot into the inbox, complete; its digest depends on ``text``."""
    folder = league.inbox / author
    folder.mkdir(exist_ok=True)
    made = folder / f".{bot}"
    made.mkdir()
    (made / "bot.py").write_text(f"# {author} {bot} {text}\n")
    (made / "bot.toml").write_text(
        f'name = "{name or bot.lower()}"\nversion = "1.0"\n'
        'command = ["python3", "bot.py"]\ngames = ["sage-stones"]\n'
    )
    return made.rename(folder / f"{bot}.ready")


def reply(task: MatchTask) -> WorkerReply:
    """Play a match really, by random actions."""
    return WorkerReply(task.number, play(task.spec))


def workers() -> MatchExecutor:
    """One worker in this process."""
    return FuturesExecutor(Immediate, reply)


def run(league: League, number: int = 0, matches: int = 8, said: list[str] | None = None) -> NightEnd:
    """Run the night that is ``number`` days after the first one."""
    plan = NightPlan(None, matches, Pinning(), workers)
    say = (lambda _: None) if said is None else said.append
    return run_night(reopened(league), plan, NOW + timedelta(days=number), say)
