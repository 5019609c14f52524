"""Numbers as pages print them: exact fractions to a fixed number of digits, the same on every machine."""

from fractions import Fraction

MISSING = "\N{EN DASH}"


def decimal(value: Fraction | int, digits: int) -> str:
    """Return a number with that many digits, halves rounded to even."""
    scaled = round(Fraction(value) * 10**digits)
    sign, whole = ("\N{MINUS SIGN}" if scaled < 0 else ""), abs(scaled)
    if not digits:
        return f"{sign}{whole}"
    return f"{sign}{whole // 10**digits}.{whole % 10**digits:0{digits}d}"


def points(value: Fraction, seats: int) -> str:
    """Return points: in halves at two seats, to two digits otherwise."""
    return decimal(value, 1 if seats == 2 else 2)


def percent(part: Fraction | None) -> str:
    """Return a share as a percentage with one digit, or a dash."""
    return MISSING if part is None else decimal(part * 100, 1)


def number(value: float, digits: int) -> str:
    """Return a float with that many digits, with a real minus sign and no negative zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "\N{MINUS SIGN}")


def count(value: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 match``, ``2 matches``."""
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def span(first: int, last: int) -> str:
    """Return a range of whole numbers: ``2-5``, with a dash, or ``2`` where it is one."""
    return str(first) if first == last else f"{first}\N{EN DASH}{last}"


def milliseconds(value: float) -> str:
    """Return a duration in milliseconds, or seconds from ten of them on."""
    if value < 10_000:
        return f"{number(value, 0 if value >= 100 else 1 if value >= 1 else 2)} ms"
    return f"{number(value / 1000, 1)} s"
