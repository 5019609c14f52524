"""Prose follows the rules of plain English that a program can check.

``RULES`` are the phrases to avoid and ``AREAS`` the text that is read. ``ALLOWED`` keeps single phrases with
a reason; an entry that is no longer needed fails. ``python -m tests.docs.test_plain_english [PREFIX]`` lists
the findings.
"""

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from tests.support.command import ROOT


class Rule(NamedTuple):
    """A phrase to avoid, and what to write instead."""

    name: str
    pattern: str
    instead: str


RULES = (
    Rule(
        "is no X",
        r"(?<!there )\b(?:is|are|was|were|be|been) no (?!longer\b|more\b|less\b|fewer\b|worse\b|better\b)",
        "is not a",
    ),
    Rule(
        "so many", r"\bso (?:many|much)\b(?! (?:more|faster|slower|larger|smaller|that)\b)", "the number of"
    ),
    Rule("anew", r"\banew\b", "again, re-"),
    Rule("told", r"\btold\b", "the sender and the message"),
    Rule("nobody", r"\bnobody\b", "none, not"),
    Rule("parted", r"\bparted\b", "separated"),
    Rule("mend", r"\bmend(?:s|ed|ing)?\b", "repair, fix"),
    Rule("wants", r"(?<!who )(?<!you )\bwants\b(?!=)", "requires, needs, asks for"),
    Rule("in vain", r"\bin vain\b", "without effect"),
    Rule("borne", r"\bborne\b", "the plain verb"),
    Rule("whoever", r"\bwhoever\b", "anyone who"),
    Rule("ails", r"\bails\b|\bwhatever it is\b", "the noun"),
    Rule("cannot be had", r"\b(?:can(?:not)? be|to be|is|are) had\b(?! by)", "is not possible, because"),
    Rule("has none", r"\bwho has none\b|\bwhich has none\b", "without a"),
    Rule(
        "what X costs",
        r"\bwhat (?:a|an|the|each|it|they) (?:[\w-]+ ){0,3}(?:costs?|takes?)\b",
        "the cost of X",
    ),
    Rule(
        "of chain",
        r"\b(?:clocks of fuel|hosts of archives|settings of runs|rules for search)\b",
        "fuel clocks",
    ),
    Rule("some N", r"\bsome \d", "about N"),
    Rule("all the same", r"\ball the same\b", "still, anyway"),
    Rule(
        "play again",
        r"\bplayed again\b|\bplay(?:s|ing)? (?:it|them|matches) again\b",
        "replay",
    ),
    Rule("what came of", r"\bwhat (?:has )?(?:came|comes|come) of\b", "the result of"),
    Rule("afresh", r"\bafresh\b|\bonce more\b", "again, from the start"),
    Rule("for want of", r"\bfor want of\b", "because ... is missing"),
    Rule(
        "where missing",
        r"\bwhere (?:the|a) (?:package|library|program|extra) is (?:missing|there)\b",
        "if ...",
    ),
)


ANY = re.compile("|".join(rule.pattern for rule in RULES), re.IGNORECASE)


class Area(NamedTuple):
    """Files whose text is checked, and how their prose is read."""

    glob: str
    read: Callable[[str], Iterator[tuple[int, str]]]


class Allowed(NamedTuple):
    """A phrase that a rule finds and that stays."""

    path: str
    phrase: str
    reason: str


def blank(pattern: str, text: str, flags: re.RegexFlag = re.NOFLAG) -> str:
    """The text with each match replaced by its line ends, so that line numbers stay."""
    return re.sub(pattern, lambda match: "\n" * match[0].count("\n") or " `", text, flags=flags)


def markdown(text: str) -> Iterator[tuple[int, str]]:
    """The prose of a page by paragraph: without code, link targets and comments."""
    text = blank(r"^(```|~~~).*?^\1", text, re.MULTILINE | re.DOTALL)
    text = blank(r"<!--.*?-->", text, re.DOTALL)
    text = blank(r"`+[^`\n]+`+", text)
    text = blank(r"(?<=\])\([^)\s]+\)", text)
    number, paragraph = 1, ""
    for line, content in enumerate([*text.split("\n"), ""], 1):
        if content.strip() and not content.startswith(("|", "- ", "#")):
            paragraph += content + " "
            continue
        if paragraph:
            yield number, paragraph
        paragraph, number = (content + " " if content.strip() else ""), line
        if not content.strip():
            number = line + 1


def python(text: str) -> Iterator[tuple[int, str]]:
    """The prose of a module: docstrings, comments, and strings of more than one word."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, blank(r"`+[^`]*`+", " ".join(node.value.split()))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], blank(r"`+[^`]*`+", token.string)


def docstrings(text: str) -> Iterator[tuple[int, str]]:
    """The docstrings of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found = ast.get_docstring(node)
            if found:
                line = node.body[0].lineno
                yield line, blank(r"`+[^`]*`+", " ".join(found.split()))


def template(text: str) -> Iterator[tuple[int, str]]:
    """The prose of a template, by line: without tags, expressions, scripts and styles."""
    text = blank(r"<(script|style)\b.*?</\1>|\{[%#].*?[%#]\}|\{\{.*?\}\}|<[^>]*>", text, re.DOTALL)
    yield from enumerate(text.split("\n"), 1)


AREAS = (
    Area("README.md", markdown),
    Area("CHANGELOG.md", markdown),
    Area("docs/**/*.md", markdown),
    Area("tourney/**/*.py", python),
    Area("scripts/**/*.py", python),
    Area("benchmarks/**/*.py", python),
    Area("engines/**/*.py", python),
    Area("engines/**/*.md", markdown),
    Area("seeds/*.py", python),
    Area("seeds/*.md", markdown),
    Area("tests/*.md", markdown),
    Area("templates/**/*.html", template),
    Area("tests/**/*.py", python),
)
LAW = ("docs/rules/", "tests/docs/test_plain_english.py")
ALLOWED: tuple[Allowed, ...] = ()

VAGUE = "ails|anew|borne|camera|distrust|lookout|mend|mended|nobody|parted|told|vain|whoever"
"""Words that no name in the code has, as they are too vague or poetic to say what the named thing does."""
NAMES = re.compile(rf"(?:^|_)(?:{VAGUE})(?:_|$)")


class Finding(NamedTuple):
    """A place that breaks a rule."""

    path: str
    line: int
    rule: str
    excerpt: str


def room_of(path: str) -> str:
    """The part of the tree that a file belongs to, as ``tourney/store`` or ``docs``."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in ("tourney", "tests") else parts[0]


def files(area: Area) -> Iterator[tuple[str, str]]:
    for path in sorted(ROOT.glob(area.glob)):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(LAW):
            yield name, path.read_text(encoding="utf-8")


def long_conditions(text: str) -> Iterator[str]:
    """Sentences whose leading condition has more than twelve words and more than the main clause."""
    for sentence in re.split(r"(?<=[.!?:;|])\s+", text.lstrip("|-# ")):
        found = re.match(r"\W*(?:If|Where|When|Unless|Because|While|Once) ([^,]*),(.*)$", sentence)
        if found and 12 <= len(found[1].split()) > len(found[2].split()):
            yield sentence


def findings_in(path: str, line: int, text: str) -> Iterator[Finding]:
    for rule in RULES if ANY.search(text) else ():
        for match in re.finditer(rule.pattern, text, re.IGNORECASE):
            excerpt = text[max(0, match.start() - 30) : match.end() + 30].strip()
            yield Finding(path, line, f"{rule.name} (write: {rule.instead})", excerpt)
    for sentence in long_conditions(text) if path.endswith(".md") else ():
        yield Finding(path, line, "long condition (begin with the main clause)", sentence[:80])


def names_in(text: str) -> Iterator[str]:
    """The names that a module gives: to functions, classes, parameters, variables and attributes."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def all_findings() -> list[Finding]:
    """Every finding of every area, without those that are allowed."""
    return [
        found
        for area in AREAS
        for path, content in files(area)
        if area.read is markdown or ANY.search(" ".join(content.split()))
        for line, text in area.read(content)
        for found in findings_in(path, line, text)
        if not any(entry.path == path and entry.phrase in text for entry in ALLOWED)
    ]


def return_docstrings() -> Counter[str]:
    """The number of docstrings that begin with "Return", by room of the package."""
    found: Counter[str] = Counter()
    for path, content in files(Area("tourney/**/*.py", docstrings)):
        if '"""Return ' in content:
            found[room_of(path)] += sum(text.startswith("Return ") for _, text in docstrings(content))
    return +found


def test_prose_follows_the_rules() -> None:
    assert all_findings() == []


def test_names_are_plain() -> None:
    found = {
        (path, name)
        for area in AREAS
        if area.read is python
        for path, content in files(area)
        if re.search(VAGUE, content.lower())
        for name in names_in(content)
        if NAMES.search(name.lower())
    }
    assert found == set()


def test_docstrings_are_noun_phrases_instead_of_return() -> None:
    assert return_docstrings() == {}


def test_every_allowed_phrase_is_there() -> None:
    texts = {
        entry: [
            text
            for area in AREAS
            for path, content in files(area)
            if path == entry.path
            for _, text in area.read(content)
        ]
        for entry in ALLOWED
    }
    missing = [entry for entry in ALLOWED if not any(entry.phrase in text for text in texts[entry])]
    assert missing == []
    assert all(entry.reason for entry in ALLOWED)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It is no valid file.", ["is no X"]),
        ("There is no file, and it is no longer needed.", []),
        ("So many games are drawn anew.", ["so many", "anew"]),
        ("He wants to know; you want to know.", ["wants"]),
        ("It says what a match costs.", ["what X costs"]),
        ("The host may play again, and its matches are played again.", ["play again"]),
    ],
)
def test_rules_find_their_phrases(text: str, names: list[str]) -> None:
    assert [entry.rule.partition(" (")[0] for entry in findings_in("page", 1, text)] == names


def test_readers_leave_code_out_and_keep_lines() -> None:
    page = "# A\n\n```sh\ntold\n```\n\nUse `anew`\nor [told](anew.md).\n"
    assert [(line, "told" in text, "anew" in text) for line, text in markdown(page)] == [
        (1, False, False),
        (7, True, False),
    ]
    module = 'def f():\n    """Use ``anew``."""\n    return "so many words"  # told\n'
    assert sorted((line, text) for line, text in python(module)) == [
        (2, "Use  `."),
        (3, "# told"),
        (3, "so many words"),
    ]


def test_names_are_read_where_they_are_given() -> None:
    module = "def f(told, *, x):\n    anew = told\n    x.TOLD_SIZE = anew\n    return x.nobody\n"
    assert sorted(name for name in names_in(module) if NAMES.search(name.lower())) == [
        "TOLD_SIZE",
        "anew",
        "told",
    ]


if __name__ == "__main__":
    prefix = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [entry for entry in all_findings() if entry.path.startswith(prefix)]
    lines = [f"{entry.path}:{entry.line}: {entry.rule}: {entry.excerpt}" for entry in chosen]
    counts = [str(dict(Counter(room_of(entry.path) for entry in chosen))), str(dict(return_docstrings()))]
    sys.stdout.write("\n".join([*lines, *counts, ""]))
