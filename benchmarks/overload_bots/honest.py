"""An honest bot: computes for a fixed time of its processor's clock, then plays the last legal action."""

import sys
import time

work = float(sys.argv[1]) / 1000
last = ""
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        print("ready", flush=True)
    elif word == "legal":
        last = rest.split(" ")[-1]
    elif word == "go":
        until = time.process_time() + work
        while time.process_time() < until:
            pass
        print(f"move {last}", flush=True)
    elif word == "quit":
        break
