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

ROOMS = frozenset(
    (
        "addons",
        "attacks",
        "benchmarks",
        "bots",
        "cli",
        "engines",
        "interface",
        "match",
        "run",
        "scripts",
        "seeds",
    )
)
"""Folders of tests that start bots, contained or not, or look for programs: all of their files count."""

FILES = frozenset(
    {
        "check/test_reruns.py",
        "docs/test_extension_pages.py",
        "docs/test_formats_page.py",
        "docs/test_links.py",
        "docs/test_record_page.py",
        "docs/test_schedules_page.py",
        "docs/test_tournament_file_page.py",
        "exchange/test_archiving.py",
        "exchange/test_lines.py",
        "games/test_compiled.py",
        "report/output/test_rendering.py",
        "report/pages/test_match_list.py",
        "report/test_board.py",
        "report/test_browser.py",
        "report/test_cockpit.py",
        "report/test_every_page.py",
        "report/test_formats.py",
        "report/test_letters.py",
        "store/test_column_reading.py",
        "store/test_database.py",
        "store/test_migrations.py",
        "store/test_postgres.py",
        "store/test_totals.py",
        "test_plugins_from_outside.py",
        "test_ci.py",
        "test_containerfile.py",
        "test_house.py",
        "test_mirror.py",
        "test_wheel.py",
    }
)
"""Files of other folders that name an optional program or a sandbox (``named_programs``)."""

LOOKUPS = frozenset(
    {
        *("which", "missing_tools", "rust_target", "find_python"),
        *("contained", "bubblewrap_works", "strict_works", "needs_browser", "needs_node", "needs_server"),
    }
)
"""Functions that look for a program, and the conditions under which tests are skipped without it."""


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
                words |= {text} & hidden_programs() | set(_SANDBOX.findall(text.lower()))
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.alias(name=name)
                | ast.ImportFrom(module=str(name))
                | ast.keyword(arg=str(name))
            ):
                words |= {name} & LOOKUPS | set(_SANDBOX.findall(name.lower()))
    return words
