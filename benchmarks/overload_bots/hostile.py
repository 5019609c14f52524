"""A hostile bot: children of it, each in a session of its own, work all the time; it answers at once."""

import os
import sys

legal = ""
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        for _ in range(int(sys.argv[1])):
            if os.fork() == 0:
                os.setsid()
                while True:
                    pass
        print("ready", flush=True)
    elif word == "legal":
        legal = rest.split(" ")[0]
    elif word == "go":
        print(f"move {legal}", flush=True)
    elif word == "quit":
        break
