"""Fonts of known width: layout must not depend on the fonts of the machine that runs the tests."""

import io
from base64 import b64encode
from functools import cache

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

UNITS = 1000
ADVANCES = {"broad": 640, "narrow": 460}
"""Width of every character in thousandths of its size; that of many installed fonts is in between."""


@cache
def style(name: str) -> str:
    """Return a style sheet that sets everything in a font whose characters all have one width."""
    family = f"test-{name}"
    source = b64encode(_font(family, ADVANCES[name])).decode("ascii")
    return (
        f"@font-face {{ font-family: {family}; src: url(data:font/ttf;base64,{source}); }}"
        f"* {{ font-family: {family} !important; }}"
    )


def _font(family: str, advance: int) -> bytes:
    pen = TTGlyphPen(None)
    pen.moveTo((60, 0))
    for corner in ((60, 700), (advance - 60, 700), (advance - 60, 0)):
        pen.lineTo(corner)
    pen.closePath()
    box = pen.glyph()
    builder = FontBuilder(UNITS, isTTF=True)
    builder.setupGlyphOrder([".notdef", "box"])
    builder.setupCharacterMap(dict.fromkeys(range(0x20, 0x3000), "box"))
    builder.setupGlyf({".notdef": box, "box": box})
    builder.setupHorizontalMetrics({".notdef": (advance, 60), "box": (advance, 60)})
    builder.setupHorizontalHeader(ascent=928, descent=-236)
    builder.setupNameTable({"familyName": family, "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=928, sTypoDescender=-236, usWinAscent=928, usWinDescent=236)
    builder.setupPost()
    out = io.BytesIO()
    builder.save(out)
    return out.getvalue()
