"""Tests mirror the package: those of ``tourney/a/b.py`` are in ``tests/a/test_b.py``.

The tests of a module may be split: ``test_swiss_pods.py`` is of ``swiss.py`` too. A test beside a package's
folder is of the package. What does not mirror is in one of the lists below, each held both ways: an entry
that is no longer needed fails. Entries of an add-on that is absent from the checkout do not count.
"""

from pathlib import Path

from tests.support.addons import ABSENT, NAMES
from tests.support.command import ROOT

OTHER_FOLDERS = {
    "attacks": "hostile bots against the sandbox",
    "benchmarks": "the scripts of benchmarks/",
    "docs": "the commands, examples and links of the documentation",
    "engines": "the bots of engines/ and of the templates",
    "scripts": "the scripts of scripts/",
    "seeds": "the manifests, schemas and checkers of seeds/",
}
"""Folders of tests of what is outside of the package, in ``tests/`` or in the tests of an add-on."""

AS_A_WHOLE = {
    "addons/fuel": "modules are played by a host, which uses the rest",
    "games/check": "one suite, tried on broken games",
    "addons/chess": "against python-chess and known counts",
    "games/cyvasse": "by the sections of the rules page, and against the oracle",
    "games/element": "by the sections of the rules page, and against the oracle",
    "addons/openspiel": "against OpenSpiel: tests/addons/openspiel/test_family.py",
    "games/sage_stones": "by the sections of the rules page, and against the oracle",
    "games/sages_tafl": "by the sections of the rules page, and against the oracle",
    "games/seven_sages": "by the sections of the rules page, and against the oracle",
    "report": "by what whole pages show, in text and in a browser",
    "report/output": "by the folder that is written",
    "report/pages": "by what whole pages show, in text and in a browser: tests/report",
    "report/replays": "by decoding what a page holds",
}
"""Folders whose modules are tested together; tests in them have the name of what they test."""

OTHER_TESTS: dict[str, str] = {
    "bot/test_run.py": "a bot of the SDK as a process",
    "cli/test_damaged_parts.py": "every command on damaged logs, measurements and records",
    "cli/test_even_pools.py": "every command that computes, on pools of equal results",
    "cli/test_json_output.py": "every command's JSON against its documented keys",
    "cli/test_read_only.py": "every reading command on a database that it may not write",
    "cli/test_roots.py": "roots in run, verify, export and import",
    "cli/test_tampering.py": "every alteration of a database against every check",
    "addons/lab/commands/test_json_output.py": "JSON output of every command of the lab",
    "addons/league/commands/test_json_output.py": "JSON output of every command of leagues",
    "addons/lab/test_compare_killed.py": "a real comparison, killed and continued",
    "addons/lab/test_killed.py": "questions about a bot, killed again and again",
    "games/test_differential.py": "every game against its oracle",
    "games/test_rare_playouts.py": "the rare ends of the games, in every core",
    "games/test_rules_pages.py": "the examples of the rules pages",
    "games/test_sages_properties.py": "Sages Tafl and Sage Stones on made-up positions",
    "match/test_freezing.py": "waiting bots stand still in whole matches",
    "match/test_hidden_setup.py": "hidden set-ups in lines, logs and on screens",
    "match/test_misbehaviour.py": "pairs and triples of bots that misbehave",
    "match/test_real_bots.py": "faults of real processes",
    "ratings/test_draw_probability.py": "the draw probability, from the store to TrueSkill",
    "report/charts/test_intervals.py": "the intervals in tables",
    "run/engine/test_first_starts.py": "the first starts of bots in a run",
    "run/engine/test_simulation.py": "the coordinator on a virtual clock in a hostile world",
    "run/test_damage.py": "runs of damaged databases",
    "run/test_external_tournaments.py": "tournaments by outside referees",
    "run/test_processes.py": "real runs and signals",
    "run/test_same_results.py": "the same results in every way to run",
    "run/test_state_machine.py": "what a person may do with a tournament, in any order",
    "run/test_system_calls.py": "faults at the system calls of commands",
    "schedule/test_formats.py": "properties of all formats",
    "schedule/test_in_runs.py": "formats in whole runs",
    "schedule/test_seats.py": "the balance of seats in every format",
    "store/test_every_column.py": "nonsense in every column",
    "store/test_postgres.py": "the store on a PostgreSQL server",
    "test_ci.py": "CI's scripts, its part without optional programs, and how make calls pytest",
    "test_house.py": "linters and the rules of the tree",
    "test_mirror.py": "this rule",
    "test_own_dice.py": "dice of each match's own, from the plan to the checks",
    "test_containerfile.py": "the Containerfile against CI and the extras",
    "test_wheel.py": "an installed wheel",
}
"""Tests of several modules together, each with what it tests."""

TESTED_ELSEWHERE: dict[str, str] = {
    "addons/course/pages.py": "addons/course/test_feedback.py",
    "addons/league/check.py": "addons/league/seeds/test_seasons.py",
    "bots/metering.py": "addons/fuel/test_meter.py",
    "bots/sandbox/canary.py": "bots/sandbox/test_probe.py",
    "bots/sandbox/plain.py": "bots/sandbox/test_sandbox.py",
    "addons/lab/commands/questions.py": "addons/lab/commands/test_compare.py",
    "cli/start.py": "cli/test_main.py",
    "addons/lab/results.py": "addons/lab/test_gate.py",
    "addons/lab/gate_forms.py": "addons/lab/test_gate.py",
    "exchange/entrant_files.py": "cli/test_export.py",
    "exchange/rating.py": "exchange/test_table.py",
    "games/base.py": "games/check/test_suite.py",
    "games/core_game.py": "games/test_core_base.py",
    "games/external.py": "match/test_outside_referee.py",
    "match/spec.py": "match/test_runner.py",
    "results/interval_widths.py": "results/test_until.py",
    "results/ratings.py": "cli/test_ratings.py",
    "results/rounds.py": "report/test_formats.py",
    "run/file_schema.py": "run/test_tournament_file.py",
    "run/status.py": "cli/test_status.py",
    "addons/cluster/dispatcher.py": "addons/cluster/test_executor.py",
    "schedule/row.py": "schedule/test_formats.py",
    "spawning.py": "check/test_tournament.py",
    "store/baselines.py": "exchange/test_merging.py",
    "check/database.py": "store/test_database_copies.py",
    "store/engine.py": "store/test_sqlite.py",
    "store/matches.py": "store/test_database.py",
    "store/tables.py": "store/test_migrations.py",
    "store/records.py": "exchange/test_archiving.py",
    "exchange/results.py": "exchange/test_importing.py",
    "store/rows.py": "store/test_database.py",
    "store/schedules.py": "store/test_database.py",
    "store/tournaments.py": "store/test_database.py",
    "store/values.py": "store/test_database.py",
}
"""Modules without a test file of their own, each with a file that tests them through their neighbours."""

NOT_TESTED = {
    "__main__.py": "two lines",
    "errors.py": "names only; raised all over",
    "store/migrations/env.py": "run by Alembic: test_migrations.py",
}
"""Modules without tests of their own, each with the reason."""


def modules() -> set[str]:
    """The modules with code, as paths inside ``tourney/``; of a package with code in it, the package's."""
    package = ROOT / "tourney"
    paths = {path.relative_to(package) for path in package.rglob("*.py")}
    return {
        str(path)
        for path in paths
        if path.name != "__init__.py" and "versions" not in path.parts and "starters" not in path.parts
    }


def files_of_tests() -> set[str]:
    """The test files, as paths inside ``tests/``, without those of other folders."""
    tests = ROOT / "tests"
    paths = {path.relative_to(tests) for path in tests.rglob("test_*.py")}
    return {str(path) for path in paths if _room(path) not in OTHER_FOLDERS}


def _room(path: Path) -> str:
    """The first folder of a test's path, or of its path in the tests of an add-on."""
    return path.parts[2 if path.parts[0] == "addons" and len(path.parts) > 2 else 0]


def is_present(path: str) -> bool:
    """Whether an entry of a list is not of an absent add-on."""
    return not any(path.startswith(f"addons/{name}/") or path == f"addons/{name}" for name in ABSENT)


def whole(path: str) -> bool:
    """Whether a module or a test file is in a folder that is tested as a whole."""
    return str(Path(path).parent) in AS_A_WHOLE


def mirrored(test: str) -> Path | None:
    """The module, or the folder of the package, that a test file mirrors."""
    path = Path(test)
    words = path.stem.removeprefix("test_").split("_")
    for count in range(len(words), 0, -1):
        place = ROOT / "tourney" / path.with_name("_".join(words[:count]))
        for found in (place.with_suffix(".py"), place.with_name(f"{place.name}_.py"), place):
            if found.is_file() or (found / "__init__.py").is_file():
                return found
    return None


def test_every_module_has_a_test_file() -> None:
    """A module has a test file at its path in ``tests/``, or stands in a list."""
    found = {mirrored(test) for test in files_of_tests()}
    alone = {module for module in modules() if ROOT / "tourney" / module not in found and not whole(module)}
    listed = {*filter(is_present, TESTED_ELSEWHERE.keys() | NOT_TESTED.keys())}
    assert sorted(alone - listed) == [], "write their tests at the mirrored path"
    assert sorted(listed - alone) == [], "take these out of the lists: they have a test file, or are gone"


def test_every_test_file_has_a_module() -> None:
    """A test file is of the module at its path in ``tourney/``, or stands in the list."""
    alone = {test for test in files_of_tests() if mirrored(test) is None and not whole(test)}
    assert sorted(alone - OTHER_TESTS.keys()) == [], "move them to the mirrored path"
    gone = {*filter(is_present, OTHER_TESTS)} - alone
    assert sorted(gone) == [], "take these out of OTHER_TESTS"


def test_named_files_and_folders_exist() -> None:
    """What the lists name is there, and a folder is listed only while its files do not mirror."""
    places = filter(is_present, TESTED_ELSEWHERE.values())
    assert [name for name in places if not (ROOT / "tests" / name).is_file()] == []
    of = {test: mirrored(test) for test in files_of_tests()}
    for folder in filter(is_present, AS_A_WHOLE):
        inside = [module for module in modules() if str(Path(module).parent) == folder]
        tests = [test for test in of if str(Path(test).parent) == folder]
        assert inside, f"{folder} has no modules"
        mirrors = all(ROOT / "tourney" / module in of.values() for module in inside) and all(
            map(of.get, tests)
        )
        assert not mirrors, f"{folder} mirrors now: take it out of the list"
    assert [folder for folder in OTHER_FOLDERS if not (ROOT / "tests" / folder).is_dir()] == []


def test_every_addon_is_named() -> None:
    folders = {path.parent.name for path in (ROOT / "tourney" / "addons").glob("*/__init__.py")}
    assert folders == {*NAMES} - {*ABSENT}
