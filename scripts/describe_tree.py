"""Prints a page on the tree for reviewers: rooms, longest modules and functions, names, comments.

    python -m scripts.describe_tree [FOLDER]

FOLDER is a checkout (default: this one). Nothing here is a limit: a file is as long as its noun, and a
does one thing.
"""

import ast
import io
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

VAGUE_NAMES: Final = frozenset({"found", "one", "said", "own", "known", "other", "kept", "given"})
"""Names of variables that say how a value came to be, not what it holds."""
LONG_FUNCTION: Final = 60
SHOWN: Final = 10
SUPPRESSIONS: Final = ("noqa", "type: ignore", "pragma", "fmt:")


@dataclass(frozen=True, slots=True)
class ModulePage:
    """Counts of a module; ``comments`` are without ``suppressions``."""

    path: str
    lines: int
    vague: int
    packed: int
    comments: int
    suppressions: int
    functions: tuple[tuple[str, int], ...]


def read_module(path: Path, name: str) -> ModulePage:
    """Count a module. Raises SyntaxError for one that is not Python."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    ]
    suppressed = sum(any(word in comment for word in SUPPRESSIONS) for comment in comments)
    return ModulePage(
        path=name,
        lines=text.count("\n"),
        vague=sum(vague_bindings(node) for node in ast.walk(tree)),
        packed=sum(is_packed(node) for node in ast.walk(tree)),
        comments=len(comments) - suppressed,
        suppressions=suppressed,
        functions=tuple(long_functions(tree)),
    )


def vague_bindings(node: ast.AST) -> int:
    """The number of vague names that a node binds: as a variable, a loop's target or a parameter."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id in VAGUE_NAMES
    return isinstance(node, ast.arg) and node.arg in VAGUE_NAMES


def is_packed(node: ast.AST) -> bool:
    """Whether a node assigns a tuple of values to a tuple of variables in one statement."""
    if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)):
        return False
    target = node.targets[0]
    swapped = isinstance(target, ast.Tuple) and {ast.unparse(part) for part in target.elts} == {
        ast.unparse(part) for part in node.value.elts
    }
    return isinstance(target, ast.Tuple) and not swapped


def long_functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield each function of more than LONG_FUNCTION lines with its length."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONG_FUNCTION:
                yield node.name, length


def read_package(root: Path) -> list[ModulePage]:
    """The modules of the package ``tourney`` in a checkout, sorted by path."""
    package = root / "tourney"
    return [read_module(path, path.relative_to(package).as_posix()) for path in sorted(package.rglob("*.py"))]


def room_of(path: str) -> str:
    """The room of a module: a folder of the package, an add-on, or ``.`` for the modules beside them."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "addons" and len(parts) > 2 else parts[0] if parts[1:] else "."


def describe(modules: list[ModulePage]) -> Iterator[str]:
    """Yield the lines of the page."""
    rooms: dict[str, list[ModulePage]] = defaultdict(list)
    for module in modules:
        rooms[room_of(module.path)].append(module)
    yield f"{'room':<18}{'modules':>9}{'lines':>9}{'median':>9}{'longest':>9}"
    for room, members in sorted(rooms.items()):
        yield line_of(room, members)
    core = [module for module in modules if not module.path.startswith("addons/")]
    yield line_of("core", core)
    yield line_of("all", modules)
    yield ""
    longest = sorted(modules, key=lambda module: (-module.lines, module.path))[:SHOWN]
    yield "longest modules: " + ", ".join(f"{module.path} {module.lines}" for module in longest)
    functions = sorted(
        ((length, f"{module.path}:{name}") for module in modules for name, length in module.functions),
        reverse=True,
    )
    shown = ", ".join(f"{place} {length}" for length, place in functions[:SHOWN])
    yield f"functions over {LONG_FUNCTION} lines: {len(functions)}{': ' if shown else ''}{shown}"
    lines = sum(module.lines for module in modules)

    def rate(count: int) -> str:
        return f"{1000 * count / lines:.1f} a thousand lines ({count:,})"

    yield f"vague names ({', '.join(sorted(VAGUE_NAMES))}): {rate(sum(module.vague for module in modules))}"
    yield f"assignments of several values at once: {rate(sum(module.packed for module in modules))}"
    yield f"comments: {rate(sum(module.comments for module in modules))}"
    yield f"suppressions: {rate(sum(module.suppressions for module in modules))}"


def line_of(name: str, members: list[ModulePage]) -> str:
    """A row of the table of rooms."""
    lengths = sorted(module.lines for module in members)
    median = lengths[len(lengths) // 2]
    return f"{name:<18}{len(members):>9,}{sum(lengths):>9,}{median:>9,}{lengths[-1]:>9,}"


def main(words: list[str]) -> int:
    """Print the page of a checkout; return the exit code."""
    root = Path(words[0]) if words else Path(__file__).resolve().parent.parent
    for line in describe(read_package(root)):
        sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
