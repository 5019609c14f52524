"""Play a cup in which a bot fills memory, in this process: ``full_memory.py FOLDER GROUPS``.

With ``GROUPS`` "no", bots have no control groups, as in most containers. Prints the void matches and the
faults of each entrant as JSON.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from tests.support.executors import FuturesExecutor, Immediate
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox import bubblewrap
from tourney.bots.sandbox.cgroups import Cgroups
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers import worker


def play(folder: Path) -> dict[str, object]:
    """Play the cup of a folder."""
    store = BotStore(folder / "store")
    file = read_tournament_file(folder / "cup.toml")
    with open_tournament(file, str(folder / "t.db"), store, lambda _: None) as (database, tournament, _):
        Coordinator(database, tournament.id, FuturesExecutor(Immediate, worker.play_task), store.root).run()
        faults: Counter[str] = Counter()
        for record in dict(database.records.all(tournament.id)).values():
            faults.update(f"{record.seats[seat - 1].name} {kind}" for seat, kind, _ in record.outcome.faults)
        return {"void": database.totals.void_matches(tournament.id), "faults": faults}


if __name__ == "__main__":
    if sys.argv[2] == "no":
        setattr(bubblewrap, "find_cgroups", lambda: Cgroups(()))  # noqa: B010 - a name that it imports
    sys.stdout.write(json.dumps(play(Path(sys.argv[1]))))
