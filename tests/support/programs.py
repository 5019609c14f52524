"""Test files that depend on which optional programs the machine has; they get the mark ``programs``.

CI runs them twice: once in the view of ``.ci/bare``, which hides these programs, and once with all of them.
"""

import ast
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
BARE = TESTS.parent / ".ci" / "bare"

ROOMS = frozenset(("attacks", "bots", "cli", "engines", "run"))
"""Folders of tests that start bots, contained or not, or look for programs: all of their files count."""

FILES = frozenset(
    {
        "addons/chess/benchmarks/test_chess_benchmark.py",
        "addons/chess/docs/test_from_cutechess.py",
        "addons/chess/test_adjudication.py",
        "addons/chess/test_laws.py",
        "addons/chess/test_pgn.py",
        "addons/chess/test_uci_tournaments.py",
        "addons/chess/test_xboard_tournaments.py",
        "addons/cluster/benchmarks/test_hostile.py",
        "addons/cluster/test_dask.py",
        "addons/cluster/test_executor_containment.py",
        "addons/cluster/test_messages.py",
        "addons/cluster/test_nodes.py",
        "addons/course/docs/test_course_page.py",
        "addons/fuel/attacks/test_modules.py",
        "addons/fuel/benchmarks/test_fuel_benchmark.py",
        "addons/fuel/docs/test_fuel_page.py",
        "addons/fuel/engines/test_starters.py",
        "addons/fuel/test_channel.py",
        "addons/fuel/test_checked_modules.py",
        "addons/fuel/test_fuel_tournaments.py",
        "addons/go/test_gomocup.py",
        "addons/go/test_gtp_tournaments.py",
        "addons/lab/commands/bots/test_test.py",
        "addons/lab/commands/test_analyze.py",
        "addons/lab/commands/test_compare.py",
        "addons/lab/commands/test_gate.py",
        "addons/lab/commands/test_json_output.py",
        "addons/lab/commands/test_ladder.py",
        "addons/lab/commands/test_tune.py",
        "addons/lab/docs/test_agents_page.py",
        "addons/lab/docs/test_ci_page.py",
        "addons/lab/test_asking_containment.py",
        "addons/lab/test_compare_killed.py",
        "addons/league/seeds/test_seasons.py",
        "addons/league/test_admission_shares.py",
        "addons/league/test_git_inbox.py",
        "addons/league/test_git_inbox_attacks.py",
        "addons/league/test_identity.py",
        "addons/league/test_intake_submit.py",
        "addons/league/test_nights_containment.py",
        "addons/openspiel/docs/test_openspiel_pages.py",
        "benchmarks/test_startup.py",
        "benchmarks/test_store_benchmark.py",
        "benchmarks/test_wire_benchmark.py",
        "check/test_reruns.py",
        "docs/test_any_language_page.py",
        "docs/test_extension_pages.py",
        "docs/test_formats_page.py",
        "docs/test_links.py",
        "docs/test_record_page.py",
        "docs/test_schedules_page.py",
        "docs/test_tournament_file_page.py",
        "exchange/test_archiving.py",
        "exchange/test_lines.py",
        "games/test_compiled.py",
        "interface/test_playing.py",
        "match/test_freezing.py",
        "match/test_hidden_setup.py",
        "match/test_launcher.py",
        "match/test_match_memory.py",
        "match/test_misbehaviour.py",
        "match/test_outside_referee.py",
        "match/test_play_answers.py",
        "match/test_player.py",
        "match/test_real_bots.py",
        "match/test_runner.py",
        "report/output/test_rendering.py",
        "report/pages/test_match_list.py",
        "report/test_board.py",
        "report/test_browser.py",
        "report/test_cockpit.py",
        "report/test_every_page.py",
        "report/test_formats.py",
        "report/test_letters.py",
        "scripts/test_make_images.py",
        "scripts/test_make_seeds.py",
        "scripts/test_try_engines.py",
        "seeds/test_checkers.py",
        "seeds/test_schedules.py",
        "seeds/test_tournaments.py",
        "store/test_column_reading.py",
        "store/test_database.py",
        "store/test_migrations.py",
        "store/test_postgres.py",
        "store/test_totals.py",
        "test_ci.py",
        "test_containerfile.py",
        "test_mirror.py",
        "test_plugins_from_outside.py",
        "test_wheel.py",
    }
)
"""Files of other folders that name an optional program or a sandbox (``named_programs``)."""

NAMES_ONLY = frozenset({"test_house.py"})
"""Files that name them in lists of the tree's files, and look for none; linters need a minute."""

LOOKUPS = frozenset(
    {
        *("which", "missing_tools", "rust_target", "find_python"),
        *("contained", "bubblewrap_works", "strict_works", "needs_browser", "needs_node", "needs_server"),
    }
)
"""Functions that look for a program, and the conditions under which tests are skipped without it."""


PROTOCOL_WORDS = frozenset({"go"})
"""Names of programs that are words of protocols and games too; tests find these programs by LOOKUPS."""

_SANDBOX = re.compile("sandbox")

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler (cc)")


def depends_on_programs(path: Path) -> bool:
    """Whether a test file is run in the bare view too."""
    if not path.is_relative_to(TESTS):
        return False
    name = path.relative_to(TESTS)
    return name.parts[0] in ROOMS or str(name) in FILES


@cache
def hidden_programs() -> frozenset[str]:
    """The programs that ``.ci/bare`` hides."""
    (names,) = re.findall(r"^programs=\((.*?)^\)", BARE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return frozenset(word for line in names.splitlines() for word in line.partition("#")[0].split())


def named_programs(source: str) -> set[str]:
    """What a Python text names, outside its comments and docstrings, of the optional programs and of LOOKUPS.

    "sandbox" stands for all names and texts with this word: a sandbox contains bots only with bubblewrap.
    """
    tree = ast.parse(source)
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if node.body and isinstance(node.body[0], ast.Expr)
    }
    words: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if node not in docstrings:
                words |= {text} & hidden_programs() - PROTOCOL_WORDS | set(_SANDBOX.findall(text.lower()))
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.alias(name=name)
                | ast.ImportFrom(module=str(name))
                | ast.keyword(arg=str(name))
            ):
                words |= {name} & LOOKUPS | set(_SANDBOX.findall(name.lower()))
    return words
