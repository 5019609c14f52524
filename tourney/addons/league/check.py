"""The check of ``tourney verify LEAGUE`` besides its database: the chain of seasons."""

from collections.abc import Iterator
from pathlib import Path

from tourney.addons.league.folder import League
from tourney.addons.league.seasons import chain_problems, season_files
from tourney.check.folders import FolderCheck


class LeagueCheck(FolderCheck):
    """The chain of roots by which closed seasons cannot be rewritten."""

    def __init__(self, folder: Path) -> None:
        self._league = League.open(folder)
        self.name = self._league.table.name
        self.database = self._league.database
        self.bots = str(self._league.store.root)
        self.failure = f"the chain of seasons of {self.name} does not hold"

    def problems(self) -> Iterator[str]:
        """Yield a sentence for each season that does not follow from the league's data."""
        return chain_problems(self._league)

    def facts(self) -> Iterator[str]:
        """Yield the root of each closed season."""
        for number, file in season_files(self._league):
            yield f"season {number} of {self.name}: root {file.root}"
