"""Types are prepared before msgspec reads them, in every module of the package, and threads may read them."""

import ast
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import tourney

PACKAGE = Path(tourney.__file__).parent

# Each round has types that no thread has read, and threads that read them at once in all ways of the program.
RACE = '''
import sys, threading
import msgspec
from msgspec import inspect
from tourney.prepared_types import prepared
from tourney.schema import read

TYPES = """
from collections.abc import Mapping
from typing import Generic, NamedTuple, TypeVar
from msgspec import Struct
T = TypeVar("T")
class Box(Struct, Generic[T], frozen=True):
    content: T
class Pair(NamedTuple):
    first: int
    second: Box[int]
class Inner(Struct, frozen=True):
    pair: Pair
    names: Mapping[str, str] | None = None
class Outer(Struct, frozen=True):
    inner: Inner
    boxes: tuple[Box[Inner], ...] = ()
    names: Mapping[str, Inner] | None = None
"""
TEXT = b'{"inner": {"pair": [1, {"content": 2}]}}'

def race(readers):
    values, go = [], threading.Barrier(len(readers))
    def work(reader):
        go.wait()
        values.append(reader())
    threads = [threading.Thread(target=work, args=(reader,)) for reader in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return values

sys.setswitchinterval(1e-6)
for _ in range(300):
    names = {}
    exec(TYPES, names)
    outer, box = names["Outer"], names["Box"][names["Outer"]]
    typed = lambda text: msgspec.json.decode(text, type=prepared(outer))
    values = race([
        lambda: typed(TEXT),
        lambda: read(msgspec.json.decode(TEXT), outer),
        lambda: msgspec.json.decode(b'{"content": %s}' % TEXT, type=prepared(box)).content,
        lambda: inspect.type_info(prepared(tuple[outer, ...])).item_type.cls and typed(TEXT),
    ])
    assert [value.inner.pair.second.content for value in values] == [2, 2, 2, 2], values
'''

TAKING_TYPES = frozenset(
    {
        "msgspec.convert",
        "msgspec.inspect.multi_type_info",
        "msgspec.inspect.type_info",
        "msgspec.json.schema",
        "msgspec.json.schema_components",
        *(f"msgspec.{form}.decode" for form in ("json", "msgpack", "toml", "yaml")),
        *(f"msgspec.{form}.Decoder" for form in ("json", "msgpack")),
    }
)
"""The functions of msgspec that build the layout of a type they are given."""

TAKING_NONE = frozenset(
    {
        *("Raw", "StructMeta", "UnsetType", "Meta", "Struct", "defstruct", "field", "to_builtins"),
        *("MsgspecError", "DecodeError", "EncodeError", "ValidationError"),
        *("json.Encoder", "json.encode", "json.format", "msgpack.Encoder", "msgpack.Ext", "msgpack.encode"),
        *("toml.encode", "yaml.encode", "inspect.is_struct", "inspect.is_struct_type"),
    }
)
"""The others, but those of ``msgspec.structs``, which reads annotations in Python."""

POSITIONS = {"convert": 1, "Decoder": 0, "schema": 0, "type_info": 0}
"""Where a type stands in a call, if not by the keyword ``type``."""
UNTYPED = frozenset({"decode", "Decoder"})
"""What may be called without a type."""
PREPARED = "tourney.prepared_types.prepared"
IMPORT = "from tourney.prepared_types import prepared"


def unprepared(tree: ast.Module) -> list[int]:
    """The lines that use a function of TAKING_TYPES, but not with ``prepared(type)`` or without a type."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}

    def full_name(node: ast.expr) -> str:
        if isinstance(node, ast.Attribute):
            return f"{full_name(node.value)}.{node.attr}"
        return names.get(node.id, "") if isinstance(node, ast.Name) else ""

    allowed: set[ast.expr] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = full_name(node.func).rpartition(".")[2]
            types = [keyword.value for keyword in node.keywords if keyword.arg == "type"]
            types += node.args[POSITIONS[function] :][:1] if function in POSITIONS else []
            is_prepared = [
                isinstance(type_, ast.Call) and full_name(type_.func) == PREPARED for type_ in types
            ]
            if all(is_prepared) and (types or function in UNTYPED):
                allowed.add(node.func)
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)]
    return [node.lineno for node in used if full_name(node) in TAKING_TYPES and node not in allowed]


def test_threads_may_be_the_first_readers_of_a_type() -> None:
    """Without ``prepared`` this process ends by a segmentation fault within 40 rounds."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", RACE], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_all_types_of_the_package_are_prepared() -> None:
    texts = {path: path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    places = [
        f"{path}:{line}"
        for path, text in texts.items()
        if "msgspec" in text and path.name != "prepared_types.py"
        for line in unprepared(ast.parse(text))
    ]
    assert places == [], "give msgspec prepared(type), of tourney.prepared_types"


@pytest.mark.parametrize(
    ("code", "is_refused"),
    [
        ("import msgspec\nmsgspec.convert(data, Match)", True),
        ("import msgspec\nmsgspec.convert(data, type=Match)", True),
        (f"import msgspec\n{IMPORT}\nmsgspec.convert(data, prepared(Match))", False),
        ("import msgspec\nmsgspec.json.decode(data, type=Match)", True),
        (f"import msgspec\n{IMPORT}\nmsgspec.json.decode(data, type=prepared(Match))", False),
        ("import msgspec\nmsgspec.json.decode(data, type=prepared(Match))", True),
        ("import msgspec\nmsgspec.json.decode(data)", False),
        ("import msgspec\nread = msgspec.json.decode", True),
        ("import msgspec.json\nmsgspec.json.decode(data, type=Match)", True),
        ("import msgspec.json as text\ntext.decode(data, type=Match)", True),
        ("from msgspec import convert as turn\nturn(data, Match)", True),
        ("from msgspec import msgpack\nmsgpack.Decoder(Match)", True),
        ("from msgspec.toml import decode\ndecode(data, type=Match)", True),
        ("from msgspec import inspect as types\ntypes.type_info(Match)", True),
        (f"from msgspec import inspect as types\n{IMPORT}\ntypes.type_info(prepared(Match))", False),
        ("from msgspec.json import schema_components\nschema_components([Match])", True),
        ("from json import decode\ndecode(data, type=Match)", False),
    ],
)
def test_call_with_unprepared_type_is_refused(code: str, is_refused: bool) -> None:
    assert bool(list(unprepared(ast.parse(code)))) == is_refused


def test_functions_of_msgspec_are_all_known() -> None:
    """A newer msgspec with another function that takes a type fails here: add it to one of the lists."""
    modules = ("", "json.", "msgpack.", "toml.", "yaml.")
    public = {
        f"{prefix}{name}"
        for prefix in modules
        for module in [sys.modules[f"msgspec.{prefix}".strip(".")]]
        for name in dir(module)
        if callable(getattr(module, name)) and not name.startswith("_")
    }
    public |= {
        f"inspect.{name}"
        for name in msgspec.inspect.__all__
        if not isinstance(getattr(msgspec.inspect, name), type)
    }
    assert public == {name.removeprefix("msgspec.") for name in TAKING_TYPES} | TAKING_NONE
