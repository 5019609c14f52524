"""The rules of the tree that a program can check: lint, types, imports, and forbidden text."""

import ast
import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.support.addons import ABSENT, NAMES

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").exists(), reason="the house is checked in a checkout only"
)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        pytest.param(("mypy",), marks=pytest.mark.addon(*NAMES)),  # benchmarks import add-ons
        ("lint-imports",),
    ],
    ids=" ".join,
)
def test_linter_is_clean(command: tuple[str, ...]) -> None:
    """Ruff, mypy strict and import-linter find nothing."""
    done = run(str(BIN / command[0]), *command[1:])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def imports_of(file: Path) -> Iterator[str]:
    """The modules that a file imports, at its top or inside."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{name.name}" for name in names)


def test_tests_import_the_addon_in_whose_folder_they_lie() -> None:
    """So the other tests are collected without it; import-linter holds the same for the package."""
    wrong = []
    for file in sorted((ROOT / "tests").rglob("*.py")):
        parts = file.relative_to(ROOT / "tests").parts
        folder = parts[1] if parts[0] == "addons" else None
        for name in imports_of(file):
            words = name.split(".")
            if words[1:2] == ["addons"] and words[0] in {"tests", "tourney"} and words[2] != folder:
                wrong.append(f"{'/'.join(parts)}: {name}")
    assert wrong == []


def tracked_files() -> list[Path]:
    if shutil.which("git") is None:
        pytest.skip("git is not installed: nothing says which files belong to the tree")
    done = run("git", "ls-files", "-co", "--exclude-standard")
    if done.returncode != 0:
        pytest.skip("no git checkout: nothing says which files belong to the tree")
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def test_tree_has_no_registry_host_or_machine_path() -> None:
    """No file contains a package registry's host or a home or work folder of a machine."""
    bad = re.compile(
        rb"files\.pythonhosted"
        rb"|pypi\.or"
        rb"g|registry\.npm"
        rb"js|deb\.debia"
        rb"n\.org|/ro"
        rb"ot/|/wor"
        rb"k/main"
    )
    found = [str(path.relative_to(ROOT)) for path in tracked_files() if bad.search(path.read_bytes())]
    assert found == []


def test_every_ignore_has_its_reason() -> None:
    """A ``noqa`` or a ``type: ignore`` names its rule and gives a reason."""
    ignore = re.compile(r"#\s*(?:noqa|type:\s*ignore)(?P<rest>.*)")
    bare = []
    for path in tracked_files():
        if path.suffix != ".py" or path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = ignore.search(line)
            if match and not re.match(
                r"(?::\s*[A-Z0-9, ]+|\[[a-z-, ]+\])\s*(?:#|-)?.*[a-z]{3}", match["rest"]
            ):
                bare.append(f"{path.relative_to(ROOT)}:{number}")
    assert bare == []


@pytest.mark.parametrize("name", ["build.txt", "dev.txt", "run.txt"])
def test_requirements_are_pinned_with_hashes_and_no_urls(name: str) -> None:
    """The requirements are exact versions with hashes; no line contains a URL."""
    text = (ROOT / "requirements" / name).read_text(encoding="ascii")
    assert "://" not in text
    pins = [line for line in text.splitlines() if line and line[0].isalpha()]
    assert pins
    assert all("==" in line and line.endswith("\\") for line in pins)


def test_demo_has_the_versions_of_the_tests() -> None:
    """What `make demo` installs is a part of what `make test` installs."""
    run, dev = (
        {
            line
            for line in (ROOT / "requirements" / name).read_text("ascii").splitlines()
            if line[:1].isalnum()
        }
        for name in ("run.txt", "dev.txt")
    )
    assert run <= dev


@pytest.mark.parametrize("room", ["tourney.games", "tourney.play"])
def test_public_method_has_docstring_or_that_of_its_base(room: str) -> None:
    """Ruff asks for no docstrings of methods in these rooms: most of them fulfil a base's contract."""
    found = pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    modules = [importlib.import_module(one.name) for one in found if ".compiled." not in one.name]
    bare = [
        f"{kind.__module__}.{kind.__name__}.{name}"
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__ == module.__name__
        for name, value in vars(kind).items()
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))
        if not inspect.getdoc(getattr(kind, name))
    ]
    assert bare == []


# -- counts -------------------------------------------------------------------------------------------------

Function = ast.FunctionDef | ast.AsyncFunctionDef

MOST_ANY = 130
"""How often the word ``Any`` stands in the package, imports included. Lower it when there are fewer."""


@cache
def sources() -> dict[str, tuple[str, ast.Module]]:
    """The text and the syntax tree of each module of the package, by path."""
    package = ROOT / "tourney"
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    return {str(path.relative_to(package)): (text, ast.parse(text)) for path, text in texts.items()}


@pytest.mark.addon(*NAMES)  # the number counts theirs
def test_any_is_rare() -> None:
    """The word ``Any`` is not used more often than its limit, and the limit is close."""
    found = sum(len(re.findall(r"\bAny\b", text)) for text, _ in sources().values())
    assert found <= MOST_ANY, "name the type instead"
    assert found > MOST_ANY - 20, "lower MOST_ANY"


def test_games_import_in_one_direction() -> None:
    """No import at the top of a module of ``tourney/games`` leads back to it."""
    modules = {
        "tourney." + path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): tree
        for path, (_, tree) in sources().items()
        if path.startswith("games/")
    }
    graph: dict[str, set[str]] = {}
    for name, tree in modules.items():
        found: set[str] = set()
        for node in top_level(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= inner if inner <= modules.keys() else {node.module, *inner}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
        graph[name] = found & modules.keys() - {name}
    sorter = TopologicalSorter(graph)
    sorter.prepare()  # raises CycleError, which names the circle


def top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run at import; not those for type checkers, nor those inside functions."""
    for node in tree.body:
        if isinstance(node, ast.If):
            if "TYPE_CHECKING" not in ast.unparse(node.test):
                yield from node.body
        else:
            yield node


# -- files of other accounts --------------------------------------------------------------------------------

BY_PATH = {
    "bots/catalogue/build.py: keep_files": "the store's own folder of builds",
    "bots/catalogue/build.py: run_build": "the copy for a build that has not begun",
    "bots/catalogue/command.py: add_program": "a temporary folder of this process",
    "addons/fuel/python_module.py: _copy": "runs as the bot, in the sandbox of its build",
    "bots/catalogue/store.py: _move": "entries of the bot store",
    "bots/catalogue/submission.py: _copy_program": "a private copy in a temporary folder of this process",
    "bots/catalogue/submission.py: _link": "the private folder of an unpacked archive, after all its files",
    "bots/catalogue/submission.py: copy_folder": "the new copy, which no other account can write to",
    "bots/catalogue/tree.py: copy_file": "a link in the new copy, which no other account can write to",
    "bots/catalogue/tree.py: write_file_manifest": "the store's own copy",
    "bots/sandbox/canary_tools.py: shared_library": "runs as a bot, in its sandbox",
    "bots/sandbox/probe.py: __enter__": "a temporary folder of this process",
    "cli/db/rename.py: command": "a file beside the database",
    "files.py: _link": "a file that the user named",
    "files.py: _replacing": "a file that the user named",
    "files.py: replaced_folder": "a folder that the user named, and private ones beside it",
    "files.py: write_folder": "a new folder that the user named",
    "held_folder.py: _open_to_empty": "/proc/self/fd, which is a descriptor",
    "addons/league/intake.py: recover": "folders of records, which is private",
    "addons/league/intake.py: take": "folders of records, which is private",
    "addons/league/site.py: write_reports": "the league's own site",
    "addons/league/nights.py: _back_up": "folders of records, which is private",
    "report/output/write.py: _exchange": "the report's own folder",
    "report/output/write.py: _sibling": "folders that the report made beside its own",
    "report/output/write.py: _swap": "the report's own folder",
    "run/listeners.py: _rotate": "the log of a run",
    "run/listeners.py: heartbeat": "the status file of a run",
}
"""Where the package renames, copies or changes the mode of a path, with the reason why that is safe.

Below a folder that another account may write, a path leads elsewhere at any moment: tourney.held_folder.
"""

CALLS_BY_PATH = frozenset(
    {"chmod", "chown", "copy", "copy2", "copyfile", "copytree", "hardlink_to", "lchmod", "lchown", "move"}
    | {"rename", "renames", "replace", "rmtree", "symlink_to"}
)
SHUTIL_ONLY = frozenset({"copy", "copy2", "copyfile", "copytree", "move"})
"""Names that many other methods have too."""
DESCRIPTORS = frozenset({"dir_fd", "src_dir_fd"})


def calls_by_path(node: ast.AST, path: str, function: str = "") -> Iterator[str]:
    """The functions in which files are renamed, copied or removed as trees by their paths."""
    for child in ast.iter_child_nodes(node):
        name = child.name if isinstance(child, Function) else function
        if isinstance(child, ast.Call) and is_by_path(child):
            yield f"{path}: {name}"
        yield from calls_by_path(child, path, name)


def is_by_path(call: ast.Call) -> bool:
    """Whether a call is one of ``CALLS_BY_PATH``; ``replace`` of a text or a structure has more arguments."""
    function, keywords = call.func, {keyword.arg for keyword in call.keywords}
    if isinstance(function, ast.Name):
        return function.id in CALLS_BY_PATH - {"copy", "move", "replace"}
    if (
        not isinstance(function, ast.Attribute)
        or function.attr not in CALLS_BY_PATH
        or keywords & DESCRIPTORS
    ):
        return False
    module = function.value.id if isinstance(function.value, ast.Name) else ""
    if function.attr in SHUTIL_ONLY:
        return module == "shutil"
    if function.attr != "replace" or module == "os":
        return True
    return len(call.args) == 1 and not keywords and not isinstance(call.args[0], ast.Starred)


def test_paths_of_other_accounts_are_held_by_descriptors() -> None:
    """Every call by a path has its reason, and every reason has its call."""
    places = {place for path, (_, tree) in sources().items() for place in calls_by_path(tree, path)}
    absent = {f"addons/{name}" for name in ABSENT}
    assert places == {place for place in BY_PATH if "/".join(place.split("/")[:2]) not in absent}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("shutil.copytree(a, b)", True),
        ("rmtree(a)", True),
        ("place.chmod(0o700)", True),
        ("a.rename(b)", True),
        ("a.replace(b)", True),
        ("os.replace(a, b)", True),
        ("os.rename(a, b, src_dir_fd=c, dst_dir_fd=c)", False),
        ("text.replace('a', 'b')", False),
        ("text.replace(*words)", False),
        ("structs.replace(a, b=1)", False),
    ],
)
def test_calls_by_path_are_recognised(text: str, expected: bool) -> None:
    (statement,) = ast.parse(text).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    assert is_by_path(statement.value) is expected
