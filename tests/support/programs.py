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

ROOMS = frozenset(("attacks", "engines"))
"""Folders of tests that start bots, contained or not: all of their files count."""

FILES = frozenset(
    {
        "addons/chess/benchmarks/test_chess_benchmark.py",
        "addons/chess/docs/test_from_cutechess.py",
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
        "benchmarks/test_wire_benchmark.py",
        "bots/catalogue/test_build.py",
        "bots/channel/test_process.py",
        "bots/sandbox/test_bot_processes.py",
        "bots/sandbox/test_bubblewrap.py",
        "bots/sandbox/test_canary_tools.py",
        "bots/sandbox/test_cgroup_search.py",
        "bots/sandbox/test_cgroups.py",
        "bots/sandbox/test_exposure.py",
        "bots/sandbox/test_host_limits.py",
        "bots/sandbox/test_kernel_rules.py",
        "bots/sandbox/test_kernel_rules_files.py",
        "bots/sandbox/test_kernel_rules_libseccomp.py",
        "bots/sandbox/test_launcher.py",
        "bots/sandbox/test_machine_memory.py",
        "bots/sandbox/test_memory_watch.py",
        "bots/sandbox/test_probe.py",
        "bots/sandbox/test_processes.py",
        "bots/sandbox/test_processes_tree.py",
        "bots/sandbox/test_sandbox.py",
        "bots/sandbox/test_sandbox_launch.py",
        "bots/sandbox/test_visible_files.py",
        "bots/test_protocols.py",
        "check/test_reruns.py",
        "cli/bots/test_add.py",
        "cli/bots/test_check.py",
        "cli/test_commit.py",
        "cli/test_completion.py",
        "cli/test_demo_upgrades.py",
        "cli/test_doctor.py",
        "cli/test_entrant_options.py",
        "cli/test_import_.py",
        "cli/test_json_output.py",
        "cli/test_play.py",
        "cli/test_rerun.py",
        "cli/test_run.py",
        "cli/test_show.py",
        "cli/test_show_record.py",
        "docs/test_any_language_page.py",
        "docs/test_extension_pages.py",
        "docs/test_formats_page.py",
        "docs/test_links.py",
        "docs/test_tournament_file_page.py",
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
        "report/test_every_page.py",
        "run/engine/test_containment_floor.py",
        "run/engine/test_coordinator.py",
        "run/engine/test_first_starts.py",
        "run/engine/test_readiness.py",
        "run/engine/test_replacement.py",
        "run/engine/test_tournament_run.py",
        "run/engine/test_tournament_run_memory.py",
        "run/test_check_bot.py",
        "run/test_check_bot_start.py",
        "run/test_damage.py",
        "run/test_dry_run.py",
        "run/test_earlier_entrants.py",
        "run/test_entrant_reference.py",
        "run/test_external_tournaments.py",
        "run/test_preparation.py",
        "run/test_processes.py",
        "run/test_state_machine.py",
        "run/test_tournament_file.py",
        "run/test_tournament_file_terms.py",
        "run/workers/test_local.py",
        "scripts/test_make_seeds.py",
        "scripts/test_try_engines.py",
        "store/test_column_reading.py",
        "store/test_database.py",
        "store/test_postgres.py",
        "test_ci.py",
        "test_containerfile.py",
        "test_mirror.py",
        "test_plugins_from_outside.py",
        "test_wheel.py",
    }
)
"""Files of other folders that name an optional program or a sandbox (``named_programs``)."""

NAMES_ONLY = frozenset({"test_house.py", "report/test_formats.py"})
"""Files that name them in lists of the tree's files and in stored values, and look for none.

They take longest: linters need a minute, and all formats are rendered.
"""

LOOKUPS = frozenset(
    {
        *("which", "missing_tools", "rust_target", "find_python"),
        *("contained", "bubblewrap_works", "strict_works"),
    }
)
"""Functions that look for a program, and the conditions under which tests are skipped without containment."""


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
