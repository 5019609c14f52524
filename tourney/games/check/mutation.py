"""Strings that are nearly right: what a strict reader has to refuse, or to print again as they are."""

from collections.abc import Iterator

from tourney.seeds import Draw

_TEMPTING = "0123456789abcdxXAFSW.-?/,:+#'"


def mutants(text: str, count: int, draw: Draw) -> Iterator[str]:
    """Yield ``count`` strings that differ from ``text`` by one small change each."""
    for _ in range(count):
        yield mutant(text, draw)


def mutant(text: str, draw: Draw) -> str:
    """Return a string that differs from ``text``, which is not empty, by one small change."""
    at = draw(len(text))
    before, here, after = text[:at], text[at], text[at + 1 :]
    kind = draw(8)
    if kind == 0:
        changed = before + after
    elif kind == 1:
        changed = before + here + here + after
    elif kind == 2 and after:
        changed = before + after[0] + here + after[1:]
    elif kind == 3:
        changed = before + here.swapcase() + after
    elif kind == 4:
        changed = before + _TEMPTING[draw(len(_TEMPTING))] + here + after
    elif kind == 5 and here.isdecimal():
        changed = before + str((int(here) + 1) % 10) + after
    elif kind == 6:
        changed = before + text[draw(len(text))] + after
    else:
        changed = before + _TEMPTING[draw(len(_TEMPTING))] + after
    return changed if changed != text else text + ("0" if draw(2) else " ")


def spliced(text: str, other: str, draw: Draw) -> str:
    """Return ``text`` with one of its fields, which blanks part, taken from another such string."""
    fields, others = text.split(" "), other.split(" ")
    k = draw(len(fields))
    if k < len(others):
        fields[k] = others[k]
    return " ".join(fields)


def around(text: str) -> tuple[str, ...]:
    """Return strings that a lenient reader would take for ``text``."""
    return (
        f" {text}",
        f"{text} ",
        f"{text}\n",
        f"\ufeff{text}",
        text.upper() if text.upper() != text else text.lower(),
        text.translate(str.maketrans("123", "\u0661\u0662\u0663")),
        text.replace("-", "\u2212"),
    )
