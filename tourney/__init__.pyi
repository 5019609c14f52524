from tourney.errors import TourneyError as TourneyError
from tourney.interface.found_match import FoundMatch as FoundMatch
from tourney.interface.found_match import MatchPosition as MatchPosition
from tourney.interface.found_match import read_match as read_match
from tourney.interface.playing import play_match as play_match
from tourney.interface.playing import run_tournament as run_tournament
from tourney.interface.readers import DatabaseReader as DatabaseReader
from tourney.interface.readers import TournamentReader as TournamentReader
from tourney.interface.readers import open_database as open_database
from tourney.match.spec import Limits as Limits

__version__: str
