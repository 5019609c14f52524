"""How texts and numbers stand in sentences for people: on one line, without controls, with their nouns."""

from collections.abc import Sequence


def printable(text: str) -> str:
    """A text on one line, with every character that is not printable as an escape sequence."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def legible(text: str, mark: str = "\N{REPLACEMENT CHARACTER}") -> str:
    """A text with ``mark`` for each character that cannot be printed: controls, marks of direction."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else mark for c in text)


def name_list(names: Sequence[str]) -> str:
    """Names in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 fault``, ``2 faults``, ``2 matches``."""
    many = plural or (f"{noun}es" if noun.endswith("ch") else f"{noun}s")
    return f"{number:,} {noun if number == 1 else many}"
