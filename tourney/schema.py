"""Schemas: the constrained types of all values from outside, and one strict reader that words every error.

A value is defined once, as a frozen ``msgspec.Struct``. ``read`` converts parsed JSON or TOML into it.
Booleans and 1.0 are not integers. A check that no field can express belongs into ``__post_init__``, which
raises ``SchemaError``. What commands print as JSON is a ``Document``.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Final, Literal, NoReturn, Self, TypedDict, TypeVar, cast

import msgspec
from msgspec import Meta
from msgspec import inspect as types

from tourney.games.base import ACTION_PATTERN, GAME_PATTERN
from tourney.prepared_types import prepared
from tourney.seeds import MAX_SEED
from tourney.texts import printable

T = TypeVar("T")

MAX_INT: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exact."""
MAX_TEXT: Final = 200
NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,31}", re.ASCII)
WORD: Final = re.compile(r"[a-z][a-z0-9-]{0,199}", re.ASCII)
DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)

UNICODE: Final = r"\A[^\ud800-\udfff]*\Z"
STORABLE: Final = r"\A[^\x00\ud800-\udfff]*\Z"
"""Text that every database accepts: PostgreSQL refuses NUL."""


def whole(pattern: re.Pattern[str], description: str) -> Meta:
    """A pattern that a whole text must match, with its description, which refusals have too."""
    words = description.rstrip(".")
    if words[1].islower():  # not an abbreviation
        words = words[0].lower() + words[1:]
    return Meta(pattern=rf"\A{pattern.pattern}\Z", description=description, extra={"words": words})


Name = Annotated[
    str,
    whole(NAME, "Small letters, digits, '.', '_' and '-', at most 64; the first is a letter or digit."),
]
"""The name of a tournament, an entrant or a bot."""
Word = Annotated[str, whole(WORD, "Small letters, digits and '-'; a letter first.")]
"""The reason for which a match ended, or the name of a format or a bot protocol."""
GameName = Annotated[
    str, whole(GAME_PATTERN, "Small letters, digits and '-', a letter first; or FAMILY:TEXT.")
]
Version = Annotated[str, whole(VERSION, "Letters, digits, '.', '_', '+' and '-', at most 32.")]
Digest = Annotated[str, whole(DIGEST, "SHA-256 in 64 hex digits.")]
U64Text = Annotated[
    str, whole(re.compile("(0|[1-9][0-9]{0,19})"), "An unsigned 64-bit integer as a decimal string.")
]
SeedText = Annotated[
    str, whole(re.compile("(0|[1-9][0-9]{0,77})"), "An unsigned integer of at most 256 bits, in decimal.")
]
"""A tournament's seed. Check the values of both by ``check_bits`` too: a pattern only bounds the digits."""
Seed = (
    Annotated[int, Meta(ge=0, description="An integer below 2**256.")]
    | Annotated[
        str,
        Meta(
            pattern=r"\A0x[0-9a-fA-F]{1,64}\Z",
            extra={"want": "be 0x and at most 64 hex digits"},
            description="An integer below 2**256 in hex.",
        ),
    ]
)
"""A tournament's seed in TOML; ``seed_of`` gives its number: msgspec has no bounds beyond 63 bits."""
Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
Token = Annotated[str, whole(ACTION_PATTERN, "1 to 200 printable ASCII characters without blanks.")]
"""An action, an option's name or value, or the version of a game's rules."""
_VALID = {"want": "be valid Unicode"}
Text = Annotated[str, Meta(max_length=MAX_TEXT, pattern=UNICODE, extra=_VALID)]
Label = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT, pattern=UNICODE, extra=_VALID)]
LongText = Annotated[str, Meta(max_length=1 << 16, pattern=UNICODE, extra=_VALID)]

MAX_ARGUMENTS: Final = 100
MAX_ARGUMENT: Final = 1_000
_Argument = Annotated[str, Meta(max_length=MAX_ARGUMENT, pattern=UNICODE, extra=_VALID)]
Arguments = Annotated[tuple[_Argument, ...], Meta(max_length=MAX_ARGUMENTS)]
"""The arguments of an entrant's command."""
SandboxLevel = Literal["strict", "auto", "off"]  # all protections or no match; what there is; none


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object in a JSON document. All of its keys are always there; null stands for an unknown value."""

    @classmethod
    def of(cls, source: object, /, **more: object) -> Self:
        """The part with a value's attributes, or a row's cells, of the same names; ``more`` are others.

        Whole numbers become floats where the schema has them. Raises msgspec.ValidationError.
        """
        if isinstance(source, Mapping):
            values = {name: source[name] for name in cls.__struct_fields__ if name in source}
        else:
            values = {name: getattr(source, name) for name in cls.__struct_fields__ if hasattr(source, name)}
        return msgspec.convert(values | more, prepared(cls), from_attributes=True)


class Document(Part, frozen=True, kw_only=True):
    """What a command prints as JSON. Its field ``format`` is a literal: its name and version."""


class SchemaError(ValueError):
    """A value does not fit its schema.

    ``path`` holds the keys and indices (from 0) that lead to it. ``problem`` continues a sentence that begins
    with its place ("is 0, but must be at least 1"); with ``inside`` it is a sentence about what the object at
    the path contains ('unknown key "x"'). ``key`` is the key in question, or "".
    """

    def __init__(
        self, path: Sequence[str | int], problem: str, *, inside: bool = False, key: str = ""
    ) -> None:
        super().__init__(problem)
        self.path = tuple(path)
        self.problem = problem
        self.inside = inside
        self.key = key or next((step for step in reversed(self.path) if isinstance(step, str)), "")

    def under(self, *path: str | int) -> "SchemaError":
        """The error of an outer value that holds this one at a path."""
        return SchemaError((*path, *self.path), self.problem, inside=self.inside, key=self.key)

    def in_json(self, root: str = "the value") -> str:
        """The sentence for JSON, as ``actions[0][1] is 7, but must be a string``."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        place = "".join(steps).lstrip(".")
        if self.inside:
            return f"{place}: {self.problem}" if place else self.problem
        return f"{place or root} {self.problem}"

    def in_toml(self, file: str) -> str:
        """The sentence for TOML, as ``FILE, [limits]: move-ms is 0, but must be at least 1``."""
        path = list(self.path)
        subject = ""
        if not self.inside and path:
            last = path.pop()
            subject = f"item {last + 1} of {_key(path.pop())} " if isinstance(last, int) else f"{_key(last)} "
        tables = ""
        for step, after in zip(path, [*path[1:], ""], strict=False):
            if isinstance(step, str):
                tables += f", [[{step}]] {after + 1}" if isinstance(after, int) else f", [{step}]"
        return f"{file}{tables}: {subject}{self.problem}"

    def __str__(self) -> str:
        """The sentence for JSON."""
        return self.in_json()


def read(
    data: object, type_: type[T], *, toml: bool = False, needed: Collection[str] = (), at: Sequence[str] = ()
) -> T:
    """Parsed JSON or TOML data as a value of a type.

    The ``needed`` keys must be there even if the type has a default for them. Raises SchemaError, its path
    beginning with ``at``; ``toml`` words it in TOML's terms.
    """
    try:
        value = msgspec.convert(data, prepared(type_))
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # the second of half a character
        _explain(data, types.type_info(prepared(type_)), toml, tuple(at))
        # Never seen: _explain has found nothing.
        raise SchemaError(at, f"is {show(data)}: {error}") from error
    if isinstance(data, dict):
        for key in needed:
            if key not in data:
                raise SchemaError((*at, key), "is missing")
    return value


def check_range(path: Sequence[str | int], value: int, low: int, high: int) -> None:
    """Raise SchemaError for an integer out of bounds."""
    if not low <= value <= high:
        raise SchemaError(path, f"is {show(value)}, but must be from {low} to {high}")


def check_bits(key: str, text: str, most: int = 64) -> int:
    """The integer of a ``U64Text``, or of a ``SeedText`` of 256 bits. Raises SchemaError."""
    number = int(text)
    if number >> most:
        raise SchemaError((key,), f"is {text}, which is beyond {most} bits")
    return number


def seed_of(key: str, value: int | str) -> int:
    """The number of a ``Seed``. Raises SchemaError."""
    number = int(value, 16) if isinstance(value, str) else value
    if not 0 <= number <= MAX_SEED:
        raise SchemaError((key,), f"is {show(value)}, but must be from 0 to 2^256 - 1")
    return number


def show(value: object) -> str:
    """A value for a sentence, cut short."""
    try:
        text = printable(json.dumps(value, ensure_ascii=False, default=str))
    except ValueError:  # the interpreter prints no longer integers
        return "a number of thousands of digits"
    if isinstance(value, str):
        text = f'"{printable(value)}"'
    elif isinstance(value, int) and len(text) > 60:
        return f"a number of {len(text):,} digits"
    return text if len(text) <= 60 else text[:57] + "..."


def either(words: Sequence[str]) -> str:
    """Quoted words for a sentence: ``"a", "b" or "c"``."""
    quoted = [show(word) for word in words]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]


def unknown_key(path: Sequence[str | int], key: object, keys: Sequence[str]) -> SchemaError:
    """The error for a key that does not exist."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for this sentence

    near = get_close_matches(str(key), keys, 1)
    hint = f"did you mean {near[0]}?" if near else f"the keys are: {', '.join(keys)}"
    return SchemaError(path, f"unknown key {show(key)}; {hint}", inside=True, key=str(key))


def bare(pattern: str) -> str:
    """A pattern without the anchors that msgspec needs."""
    return pattern.removeprefix(r"\A").removesuffix(r"\Z")


# From here on: why a value was refused. ``msgspec`` refuses fast; this finds the place again and words it.


class _Extra(TypedDict, total=False):
    """Properties of the types above that ``Meta`` has no field for."""

    want: str
    words: str
    examples: list[object]


def _explain(value: object, info: types.Type, toml: bool, path: tuple[str | int, ...]) -> None:
    """Raise SchemaError for the first thing in a value that does not fit; return if all of it fits."""
    info, extra = _plain(info)
    match info:
        case types.UnionType():
            choices = [choice for choice in info.types if not isinstance(choice, types.NoneType)]
            if value is None and len(choices) < len(info.types):
                return
            fitting = [choice for choice in choices if _is_kind(value, choice)]
            if not fitting and len(choices) > 1:
                _refuse(path, value, " or ".join(_noun(choice, toml, path) for choice in choices))
            _explain(value, (fitting or choices)[0], toml, path)
        case types.AnyType():
            return
        case types.LiteralType() if not isinstance(value, str) or value not in info.values:
            _refuse(path, value, either([str(word) for word in info.values]))
        case _ if not _is_kind(value, info):
            _refuse(path, value, _noun(info, toml, path))
        # The guards from here on always hold: they tell the type checker what _is_kind has found.
        case types.IntType() | types.FloatType() if isinstance(value, (int, float)):
            _explain_number(value, info, path)
        case types.StrType() if isinstance(value, str):
            _explain_text(value, info, extra, path)
        case types.TupleType() | types.VarTupleType() | types.ListType() if isinstance(value, (list, tuple)):
            _explain_list(value, info, toml, path)
        case types.DictType() if isinstance(value, dict):
            for key, inner in value.items():
                try:
                    _explain(key, info.key_type, toml, path)
                except SchemaError as error:
                    raise SchemaError(path, f"a key {error.problem}", inside=True) from None
                _explain(inner, info.value_type, toml, (*path, key))
        case types.StructType() if isinstance(value, dict):
            _explain_struct(value, info, toml, path)


def _explain_number(value: float, info: types.IntType | types.FloatType, path: tuple[str | int, ...]) -> None:
    least = info.ge
    most = info.le
    if (least is None or value >= least) and (most is None or value <= most):
        return
    below = most in (None, MAX_INT) and value < (least or 0)
    _refuse(path, value, f"at least {least}" if below else f"from {least} to {most}")


def _explain_text(value: str, info: types.StrType, extra: _Extra, path: tuple[str | int, ...]) -> None:
    most = info.max_length
    if most is not None and len(value) > most:
        raise SchemaError(path, f"has {len(value):,} characters, but may have at most {most:,}")
    if len(value) < (info.min_length or 0):
        raise SchemaError(path, "is empty, but must have at least one character")
    if info.pattern is not None and re.search(info.pattern, value) is None:
        words = f" ({extra['words']})" if "words" in extra else ""
        want = extra.get("want", f"match {bare(info.pattern)}{words}")
        raise SchemaError(path, f"is {show(value)}, but must {want}")


def _explain_list(
    value: Sequence[object],
    info: types.TupleType | types.VarTupleType | types.ListType,
    toml: bool,
    path: tuple[str | int, ...],
) -> None:
    if isinstance(info, types.TupleType):
        inner = info.item_types
        if len(value) != len(inner):
            raise SchemaError(path, f"has {len(value)} items, but must have {len(inner)}")
    else:
        inner = (info.item_type,) * len(value)
        if not value and info.min_length:
            raise SchemaError(path, "is empty, but must have at least one item")
        if info.max_length is not None and len(value) > info.max_length:
            raise SchemaError(path, f"has {len(value):,} items, but may have at most {info.max_length:,}")
    for index, (item, type_) in enumerate(zip(value, inner, strict=True)):
        _explain(item, type_, toml, (*path, index))


def _explain_struct(
    value: dict[str, object], info: types.StructType, toml: bool, path: tuple[str | int, ...]
) -> None:
    fields = {field.encode_name: field for field in info.fields}
    for key in value:
        if key not in fields and info.forbid_unknown_fields:
            raise unknown_key(path, key, list(fields))
    for key, field in fields.items():
        if key in value:
            _explain(value[key], field.type, toml, (*path, key))
        elif field.required:
            examples = _plain(field.type)[1].get("examples")
            hint = f"; add, for example, {key} = {json.dumps(examples[0])}" if examples else ""
            raise SchemaError((*path, key), f"is missing{hint}")
    try:
        msgspec.convert(value, prepared(info.cls))
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, SchemaError):
            raise error.__cause__.under(*path) from None
        raise
    except UnicodeEncodeError:
        raise SchemaError(path, "holds a text that is not valid Unicode") from None


def _plain(info: types.Type) -> tuple[types.Type, _Extra]:
    """A type without its metadata, and the extra data and ``examples`` of it."""
    extra: _Extra = {}
    while isinstance(info, types.Metadata):
        extra.update(cast("_Extra", {**(info.extra_json_schema or {}), **(info.extra or {})}))
        info = info.type
    return info, extra


_KINDS: Final[dict[type[types.Type], type | tuple[type, ...]]] = {
    types.StrType: str,
    types.LiteralType: str,
    types.BoolType: bool,
    types.IntType: int,
    types.FloatType: (int, float),
    types.DictType: dict,
    types.StructType: dict,
    types.TupleType: (list, tuple),
    types.VarTupleType: (list, tuple),
    types.ListType: (list, tuple),
}


_NOUNS: Final[dict[type[types.Type], str]] = {
    types.IntType: "an integer",
    types.FloatType: "a number",
    types.BoolType: "true or false",
}


def _is_kind(value: object, info: types.Type) -> bool:
    info, _ = _plain(info)
    if isinstance(value, bool) and not isinstance(info, types.BoolType):  # True is an int in Python alone
        return isinstance(info, types.AnyType)
    return isinstance(value, _KINDS.get(type(info), object))


def _noun(info: types.Type, toml: bool, path: Sequence[str | int]) -> str:
    """Words for the values of a type."""
    info, _ = _plain(info)
    name = path[-1] if path else ""
    match info:
        case types.DictType() | types.StructType():
            return f"a table: [{name}]" if toml else "an object"
        case types.TupleType() | types.VarTupleType() | types.ListType():
            item, _ = _plain(getattr(info, "item_type", types.AnyType()))
            if toml and isinstance(item, types.StructType):
                return f"a list of tables: [[{name}]]"
            return "a list of strings" if isinstance(item, types.StrType) else "a list"
        case _:
            return _NOUNS.get(type(info), "a string")


def _refuse(path: tuple[str | int, ...], value: object, wanted: str) -> NoReturn:
    raise SchemaError(path, f"is {show(value)}, but must be {wanted}")


def _key(key: str | int) -> str:
    return str(key) if re.fullmatch(r"[A-Za-z0-9_-]+", str(key)) else show(key)
