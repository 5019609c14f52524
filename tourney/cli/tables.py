"""Tables of text for terminals and pipes: columns side by side, long texts folded."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

NARROW = 10
"""Columns of text are folded to at least this width, or to the longest word of their head."""
GAPS = (3, 1)
"""Blanks between two columns; the smaller gap where the terminal is too narrow for the larger."""

_WORD = re.compile(r"\s*\S+\s*")


def cell_width(text: str) -> int:
    """The columns of a terminal that a printable text takes: two for most characters of Chinese, say."""
    if text.isascii() or max(text) < "\N{COMBINING GRAVE ACCENT}":
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - few texts need its tables

    return cell_len(text)


@dataclass(slots=True)
class _Sized:
    """A column: its width so far, and the least to which its texts may be folded."""

    right: bool
    least: int
    width: int

    @classmethod
    def of(cls, head: str, cells: Sequence[str], *, right: bool) -> "_Sized":
        """The column in its full width. Numbers stay whole, as a folded number reads as two."""
        word = max(map(cell_width, head.split()), default=0)
        widest = max((word, *map(cell_width, cells)))
        return cls(
            right,
            least=widest if right else min(widest, max(word, NARROW)),
            width=max(widest, cell_width(head)),
        )

    def lines(self, text: str) -> list[str]:
        """The lines of a cell, each as wide as the column."""
        folded = (line.rstrip() for line in fold(text, self.width))
        blanks = ((line, " " * (self.width - cell_width(line))) for line in folded)
        return [blank + line if self.right else line + blank for line, blank in blanks]


def fold(text: str, width: int) -> list[str]:
    """The lines of a text: broken between words, and inside a word only if it is wider itself."""
    if cell_width(text) <= width:
        return [text]
    lines, line = [], ""
    for word in _WORD.findall(text):
        if line and cell_width(line + word.rstrip()) > width:
            lines.append(line)
            line = ""
        line += word
        while cell_width(line.rstrip()) > width:
            end = next(end for end in range(len(line), 0, -1) if end == 1 or cell_width(line[:end]) <= width)
            lines.append(line[:end])
            line = line[end:]
    return [*lines, line]


class TextTable(NamedTuple):
    """The lines of a table, without blanks at their ends; ``width`` is that of all columns."""

    heads: list[str]
    rows: list[str]
    width: int


def text_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], width: int
) -> TextTable | None:
    """Lay out a table; None if its numbers need more width. ``right`` tells which columns are numbers."""
    columns = [
        _Sized.of(head, [row[place] for row in rows], right=right[place]) for place, head in enumerate(heads)
    ]
    least = sum(column.least for column in columns)
    spaces = [(" " * gap, width - gap * (len(columns) - 1)) for gap in GAPS]
    gap, space = next((gap for gap in spaces if least <= gap[1]), ("", 0))
    if not gap:
        return None
    for _ in range(sum(column.width for column in columns) - space):
        # The widest column gives first, so that short texts stay on a line.
        max((c for c in columns if c.width > c.least), key=lambda column: column.width).width -= 1
    head_lines, *body = (_row_lines(row, columns, gap) for row in (heads, *rows))
    whole = sum(column.width for column in columns) + len(gap) * (len(columns) - 1)
    return TextTable(head_lines, [line for lines in body for line in lines], whole)


def _row_lines(row: Sequence[str], columns: Sequence[_Sized], gap: str) -> list[str]:
    cells = [column.lines(text) for column, text in zip(columns, row, strict=True)]
    blanks = [" " * column.width for column in columns]
    return [
        gap.join(blank if line is None else line for line, blank in zip(lines, blanks, strict=True)).rstrip()
        for lines in zip_longest(*cells)
    ]
