"""The stored totals: after any sequence of writes they are what a count of all seats gives."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.command import invoke
from tests.store.test_postgres import empty_database, needs_server
from tests.tournaments import begin, played, refused
from tourney.errors import StoreDamaged, UsageError
from tourney.match.record import FaultKind
from tourney.match.result import PlayedMatch
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.schedule.row import Row
from tourney.seeds import derive, uniform
from tourney.store.archiving import archive_tournament, restore_tournament
from tourney.store.engine import open_engine, transaction
from tourney.store.exchange import export_lines
from tourney.store.importing import import_tournament
from tourney.store.maintenance import check_database, copy_database
from tourney.store.merging import merge_databases
from tourney.store.migrations.versions import _FILL_0012 as FILL  # replaced below
from tourney.store.models import METADATA
from tourney.store.repository import Repository
from tourney.store.stored_totals import TABLES
from tourney.store.values import MatchResult, Outcome, Tournament
