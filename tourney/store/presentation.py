"""How a tournament presents itself in its report: title, description, logo and links, outside all digests."""

import base64
import binascii
import re
from typing import Annotated, Final

from msgspec import Meta, Struct

from tourney.schema import SchemaError
from tourney.store.column_reading import Columns, read_json

MAX_LOGO: Final = 256 << 10
"""Bytes of a logo."""
MAX_LINKS: Final = 30


def _text(most: int, pattern: str, want: str) -> Meta:
    """The constraints of a text; ``want`` words its pattern for errors."""
    return Meta(max_length=most, pattern=rf"\A{pattern}\Z", extra={"want": want})


Title = Annotated[str, _text(200, r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]*", "hold no control character")]
LinkTitle = Annotated[Title, Meta(min_length=1)]
_UNPRINTED: Final = "hold no control characters but tabs and ends of lines"
Description = Annotated[str, _text(5_000, r"[^\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]*", _UNPRINTED)]
_WEB: Final = "begin with https://, http:// or mailto: and have no blanks"
Address = Annotated[str, _text(2_000, r"(?:https?://|mailto:)[!-~]+", _WEB)]


class Link(Struct, frozen=True, forbid_unknown_fields=True):
    """A link with its words."""

    title: LinkTitle
    url: Address


class Presentation(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The texts, links and logo that a report shows beside the results."""

    title: Annotated[Title, Meta(description="Title for people; without one its name is shown.")] = ""
    description: Annotated[
        Description, Meta(description="Text for the first page; an empty line ends a paragraph.")
    ] = ""
    links: Annotated[tuple[Link, ...], Meta(max_length=MAX_LINKS)] = ()
    logo: Annotated[
        str,
        Meta(
            max_length=-(-MAX_LOGO // 3) * 4, description="An image (PNG, JPEG, WebP or SVG) as base64 text."
        ),
    ] = ""

    def __post_init__(self) -> None:
        """Check the logo. Raises SchemaError."""
        try:
            content = base64.b64decode(self.logo, validate=True)
        except (binascii.Error, ValueError) as error:
            raise SchemaError(("logo",), "is not base64 text") from error
        if content:
            check_logo(content)

    def __bool__(self) -> bool:
        """Whether there is anything to show."""
        return self != NO_PRESENTATION

    @property
    def image(self) -> bytes:
        """The logo, or no bytes."""
        return base64.b64decode(self.logo)

    @property
    def file_name(self) -> str:
        """The name of the logo's file in a site, or "" without a logo."""
        return f"logo.{check_logo(self.image)}" if self.logo else ""


NO_PRESENTATION: Final = Presentation()


def logo_text(content: bytes) -> str:
    """An image as a presentation holds it."""
    return base64.b64encode(content).decode("ascii")


_ACTIVE = re.compile(
    rb"<[^>]*\bscript|<[^>]*\bforeignobject|\son[a-z]+\s*=|javascript:|<!entity", re.IGNORECASE
)
_SVG = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->|<!doctype[^>\[]*>)*<svg[\s>]",
    re.IGNORECASE | re.DOTALL,
)


def check_logo(content: bytes) -> str:
    """The suffix of an image by its content: png, jpg, webp or svg.

    Pages show it by ``<img>``, where no SVG runs scripts. One that could run some where it is opened by
    itself is still refused. Raises SchemaError.
    """
    if len(content) > MAX_LOGO:
        raise SchemaError(("logo",), f"has more than {MAX_LOGO >> 10} KiB; make the image smaller")
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if content.startswith(b"\xff\xd8\xff"):
        return "jpg"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "webp"
    if _SVG.match(content):
        if _ACTIVE.search(content):
            raise SchemaError(("logo",), "is an SVG with scripts or foreign parts; remove them")
        return "svg"
    raise SchemaError(("logo",), "is not a PNG, JPEG, WebP or SVG image")


def presentation_of(row: Columns) -> Presentation:
    """How a tournament presents itself. Raises ColumnError."""
    return read_json("data", row["data"], Presentation, "a presentation")
