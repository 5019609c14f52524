"""The page on the architecture shows the rooms, the layers of the import contract, and the start of a run."""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator

from tests.support.command import ROOT

PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
PICTURE = (ROOT / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8")
OUTSIDE = {"bot", "testing"}
"""Rooms outside the layers: the SDK has a contract of its own, and nothing imports the fakes."""


def layers() -> list[set[str]]:
    """The layers of the import contract from top to bottom, without those outside."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    named = [set(re.split(r" [|:] ", layer.replace("tourney.", ""))) for layer in contracts[0]["layers"]]
    return [layer for layer in ({*names} - OUTSIDE for names in named) if layer]


def rows() -> list[set[str]]:
    """The rooms of the picture by height, from top to bottom."""
    found: dict[int, set[str]] = defaultdict(set)
    for height, names in re.findall(r'<text [^>]*y="(\d+)"[^>]*font-weight="bold"[^>]*>([^<]+)<', PICTURE):
        found[int(height)] |= set(names.split(" · "))
    return [names - OUTSIDE for _, names in sorted(found.items()) if names - OUTSIDE]


def test_picture_has_the_layers_of_the_import_contract() -> None:
    """The leaves share the last row of the picture, although some of them import others."""
    found = layers()
    games = found.index({"games"})
    drawn = rows()
    assert drawn[-1] == set().union(*found[games + 1 :])
    assert [names for names in drawn[:-1] if names] == found[: games + 1]


def test_table_has_every_room() -> None:
    table = PAGE.split("| room |")[1].split("\n\n")[0]
    named = {name.removeprefix("tourney/").strip("/") for name in re.findall(r"`([\w/.]+)`", table)}
    rooms = {
        path.name
        for path in (ROOT / "tourney").iterdir()
        if not path.name.startswith(("_", "py.")) and path.name[0] != "."
    }
    assert rooms - named == set()


def called(functions: dict[str, ast.FunctionDef], name: str, listed: list[str]) -> Iterator[str]:
    """Yield those of the listed functions that a function of a module calls, in the order of its lines."""
    calls = [node for node in ast.walk(functions[name]) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        callee = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if callee in listed:
            yield callee
        elif callee in functions:
            yield from called(functions, callee, listed)


def test_a_run_starts_by_the_calls_of_the_page_each_once() -> None:
    source = (ROOT / "tourney" / "run" / "engine" / "tournament_run.py").read_text(encoding="utf-8")
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    section = PAGE.split("## The start of a run")[1].split("\n## ")[0]
    listed = re.findall(r"^\d+\. `(\w+)`", section, re.MULTILINE)
    assert len(listed) > 10
    assert list(called(functions, "run_tournament", listed)) == listed
