#!/usr/bin/env python3
"""A UCI engine for tests: plays a fixed game of 12 half-moves that ends in mate, or misbehaves as asked.

Its first argument, if any, is what it does in place of its third move: a line to print, or ``hang``.
"""

import sys

GAME = "e2e4 e7e5 g1f3 b8c6 f1c4 c6d4 f3e5 d8g5 e5f7 g5g2 h1f1 g2e4 c4e2 d4f3".split()  # noqa: SIM905 - shorter


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    moves: list[str] = []
    hash_size = "none"
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "uci":
            say("id name Fixed\noption name Hash type spin default 1 min 1 max 9\nuciok")
        elif word == "setoption":
            hash_size = rest[-1]
        elif word == "isready":
            say("readyok")
        elif word == "position":
            moves = rest[rest.index("moves") + 1 :] if "moves" in rest else []
        elif word == "go":
            if len(moves) in (4, 5) and len(sys.argv) > 1:
                if sys.argv[1] == "hang":
                    continue
                say(sys.argv[1])
                continue
            score = 25 if len(moves) % 2 else -25
            say(f"info depth {len(moves)} score cp {score} nodes 7 string {hash_size}")
            say(f"bestmove {GAME[len(moves)]}")
        elif word == "quit":
            return


main()
