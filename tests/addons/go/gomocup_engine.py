#!/usr/bin/env python3
"""A gomoku engine of Gomocup's protocol: it takes the first free points, or every N-th of them (argument)."""

import sys

step = int(sys.argv[1])
size = 0
taken: set[str] = set()


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def answer() -> None:
    """Take a point and print it."""
    points = [f"{x},{y}" for x in range(size) for y in range(0, size, step)]
    points += [f"{x},{y}" for x in range(size) for y in range(size)]
    point = next(point for point in points if point not in taken)
    taken.add(point)
    say(point)


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "ABOUT":
        say('name="fixed", version="1.0"')
    elif word == "START":
        size = int(rest)
        taken.clear()
        say("OK")
    elif word == "TURN":
        taken.add(rest)
        answer()
    elif word == "BEGIN":
        answer()
    elif word == "BOARD":
        for stone in sys.stdin:
            if stone.strip() == "DONE":
                break
            taken.add(stone.strip().rpartition(",")[0])
        answer()
    elif word == "END":
        break
