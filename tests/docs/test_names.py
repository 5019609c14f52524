"""Names of code in the pages that explain it: classes, functions, modules and files that are there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.addons import NAMES
from tests.support.command import ROOT

PAGES = sorted((ROOT / "docs/decisions").glob("*.md")) + sorted((ROOT / "docs/explanation").glob("*.md"))
CODE = ("tourney", "tests", "benchmarks", "scripts", "engines")
OF_OTHERS = {
    "Client.get_executor()": "Dask",
    "io_uring": "an interface of Linux",
    "protected_hardlinks": "a setting of Linux",
    **dict.fromkeys(
        (
            "DataclassInfo_Convert",
            "NamedTupleInfo_Convert",
            "StructInfo",
            "StructInfo_Convert_lock_held",
            "TypeNode_get_struct_info",
            "TypedDictInfo_Convert",
            "get_class_annotations",
        ),
        "msgspec",
    ),
    "no_new_privs": "a flag of Linux",
}
"""Names that are not of this package, each with its owner."""
_NAME = re.compile(
    r"[A-Z]\w*[a-z]+[A-Z]\w*(?:\.\w+)*"  # a class of two words, or an attribute of it
    r"|[A-Za-z_][\w.]*\(\)"  # a function
    r"|tourney(?:\.\w+)+"  # a module, or what it has
    r"|_?[a-z]+_\w+"  # anything of two words
)


def names_of(page: Path) -> set[str]:
    """What a page writes as code outside of its blocks."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`([^`\n]+)`", text))


@cache
def words_of_code() -> frozenset[str]:
    """All names in the code, and the words of its strings, docstrings apart."""
    found: set[str] = set()
    for path in (path for folder in CODE for path in (ROOT / folder).rglob("*.py")):
        found.update(path.relative_to(ROOT).with_suffix("").parts)
        if path == Path(__file__):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for field in ("name", "id", "attr", "arg"):
                if isinstance(value := getattr(node, field, None), str):
                    found.add(value)
            # A statement that is a string alone is a docstring.
            if not isinstance(node, ast.Expr):
                strings = (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.Constant))
                found.update(
                    *(re.findall(r"\w+", part.value) for part in strings if isinstance(part.value, str))
                )
    return frozenset(found)


@pytest.mark.addon(*NAMES)  # their code has some of the names
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_of_code_exist(page: Path) -> None:
    missing = []
    for name in names_of(page) - OF_OTHERS.keys():
        if re.fullmatch(r"[\w./-]+\.py", name):
            found = (ROOT / name).is_file() or any(ROOT.glob(f"*/**/{name}"))
        elif _NAME.fullmatch(name):
            found = words_of_code().issuperset(re.findall(r"\w+", name))
        else:
            continue
        missing += [] if found else [name]
    assert missing == []


def test_names_of_others_are_still_written() -> None:
    assert OF_OTHERS.keys() <= set().union(*map(names_of, PAGES))
