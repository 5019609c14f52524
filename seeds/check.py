"""Check exported records and tournaments without Tourney: python3 check.py FILE ... (- is standard input).

Prints the first problem of each line, the root of each whole tournament, and counts. Exit code: 0 if all is
right, 1 for a problem, 2 for an unreadable file. Written from docs/reference and docs/rules alone, like
check.mjs; it needs check_schedule.py and check_swiss.py beside it. It does not know the games' rules: whether
an action was legal is for `tourney verify` to say.
"""
# fmt: off

import hashlib
import json
import math
import re
import sys
from contextlib import suppress
from itertools import accumulate, combinations_with_replacement
from math import comb, nan, prod
from typing import Any

from check_schedule import derive, difference, known, seat_orders, uniform

Object = dict[str, Any]
WORD, TOKEN, DIGEST, U64 = "[a-z][a-z0-9-]{0,199}", "[!-~]{1,200}", "[0-9a-f]{64}", "0|[1-9][0-9]{0,19}"
LABEL, ARGUMENT, SCORE = r"[^\uD800-\uDFFF]{1,200}", r"[^\uD800-\uDFFF]{0,1000}", "0|-?[1-9][0-9]{0,11}"
GAME = WORD + "(:[A-Za-z0-9_.,=()+-]{1,200})?"
MS, MANY, TABLE, COUNT = range(1, 2**31), range(1_000_001), range(1, 65), range(1, 1001)
# Forms: pattern, range, list [item, least, most], tuple of items, object ("?": optional, "*": others), None
BOT = {"bot": LABEL, "version": LABEL, "args": [ARGUMENT, 0, 100], "digest": DIGEST}
OWN = {"move-ms?": MS, "clock-ms?": MS, "increment-ms?": range(2**31), "nodes?": range(1, 2**53),
    "clock-moves?": MANY[1:], "depth?": COUNT}
LIMITS = {**OWN, "entrants?": [{"entrant": LABEL, **OWN}, 1, 10**6], "laws?": WORD,
    "margin-ms": range(60_001), "startup-ms": range(1, 3_600_001), "memory-mb": range(16, 2**24 + 1),
    "charge": "wall|cpu|fuel", "ponder": "allow|freeze", "fuel-per-ms?": range(1000, 10**9 + 1),
    "tablebase-pieces?": range(3, 8), "draw?": {"movecount": COUNT, "score": MANY, "movenumber": MANY},
    "meter?": WORD, "resign?": {"movecount": COUNT, "score": MANY[1:], "sides": range(1, 3)}}
SETTINGS = {"game": GAME, "rules": TOKEN, "options": {"*": TOKEN}, "limits": LIMITS}
GONE, FAULT = [(TABLE, MANY), 1, 64], (TABLE, "startup|illegal|timeout|crash|protocol|overflow", MANY)
RECORD = {**SETTINGS, "format": "tourney-record/1", "seed": U64, "digest": DIGEST,
    "opening": {"plies?": MANY, "actions?": [TOKEN, 1, 10**6]}, "seats": [{"entrant": LABEL, **BOT}, 1, 64],
    "actions": [(range(65), TOKEN), 0, 10**6],
    "outcome": {"ranks": [TABLE, 1, 64], "reason": WORD, "faults": [FAULT, 0, 64], "resigned?": GONE,
                "adjudication?": {"rule": "draw|resign|tablebase", "scores?": [[SCORE, 0, 1000], 2, 2]}}}
PLAN = {**SETTINGS, "format": WORD, "opening-plies": MANY, "book": [[TOKEN, 1, 10**6], 0, 10**6], "*": None}
PLAYER = {"name": LABEL, **BOT, "*": None}
CUP = {"format": "tourney-plan/[12]", "plan": PLAN, "entrants": [PLAYER, 1, 10**6], "*": None,
    "seed?": "0|[1-9][0-9]{0,77}", "seed-commitment?": DIGEST,
    "beacon?": {"round": LABEL, "value?": "([0-9a-f]{2})*"}}
HEAD = {"tournament": CUP, "matches": range(2**31), "complete?": None, "root?": DIGEST, "commitment?": DIGEST,
    "salt?": "[0-9a-f]{32}", "*": None}
SEASON = {"format": "tourney-season/1", "root": DIGEST, "entries": None}
MATCH = {"place": (MS, MS, MS, MS), "seats": [range(2**31), 1, 64], "record?": {"digest": DIGEST, "*": None},
    "void?": {"reason": WORD, "entrant?": range(2**31)}, "*": None}

def need(holds: object, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
def canonical(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")
def leaf(entry: object) -> bytes:
    return hashlib.sha256(b"\0" + canonical(entry)).digest()

def tree(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + tree(leaves[:split]) + tree(leaves[split:])).digest()

def parse(line: bytes) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> Object:
        need(len(dict(pairs)) == len(pairs), "a key comes twice")
        return dict(pairs)
    try:
        return json.loads(line.decode(), object_pairs_hook=once, parse_float=lambda _: nan)
    except (ValueError, RecursionError):
        raise ValueError("this is not JSON, or an object has a key twice") from None

def fits(value: Any, form: Any, what: str) -> None:
    if isinstance(form, str):
        need(isinstance(value, str) and re.fullmatch(form, value), f"{what} does not match {form}")
    elif isinstance(form, range):
        need(type(value) is int and value in form, f"{what} is not an integer from {form[0]} to {form[-1]}")
    elif isinstance(form, dict):
        need(isinstance(value, dict), f"{what} is not an object")
        for key in form:
            need(key in value or key[-1] in "?*", f"{what} has no {key}")
        known = {key.rstrip("?"): inner for key, inner in form.items()}
        for key in sorted(value):
            need(re.fullmatch(TOKEN, key) and {key, "*"} & {*known}, f"{what} has a key that is not allowed")
            fits(value[key], known.get(key, known.get("*")), f"{what}.{key}")
    elif form is not None:
        item, low, high = form if isinstance(form, list) else (None, len(form), len(form))
        size = f"{low} to {high}" if item else f"{low}"
        need(isinstance(value, list) and low <= len(value) <= high, f"{what} is not a list of {size} items")
        for n, entry in enumerate(value):
            fits(entry, item or form[n], f"{what}[{n}]")

def check_form(record: Any) -> None:
    fits(record, RECORD, "record")
    seats, actions, outcome = len(record["seats"]), len(record["actions"]), record["outcome"]
    need(int(record["seed"]) < 2**64, "the seed is not below 2^64")
    need(len(record["opening"]) == 1, "the opening does not hold either plies or actions")
    keys = [key in record["limits"] for key in ("clock-ms", "increment-ms", "fuel-per-ms", "meter")]
    need(keys[0] == keys[1] and {*keys[2:]} == {record["limits"]["charge"] == "fuel"}, "limits lack keys")
    need(all(actor <= seats for actor, _ in record["actions"]), f"an actor is not from 0 to {seats}")
    gone = [(entry[0], entry[-1]) for entry in outcome["faults"] + outcome.get("resigned", [])]
    need(all(seat <= seats and n <= actions for seat, n in gone), "a fault or resignation is out of bounds")
    need(len({seat for seat, _ in gone}) == len(gone), "a seat is withdrawn twice")
    digest = hashlib.sha256(canonical({k: record[k] for k in record if k != "digest"})).hexdigest()
    need(digest == record["digest"], f"the digest does not fit the content, which has {digest}")

def check_end(record: Object) -> None:
    seats, actions, outcome = len(record["seats"]), record["actions"], record["outcome"]
    ranks, reason, most = outcome["ranks"], outcome["reason"], max(1, seats - 1)
    good = len(ranks) == seats and all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
    need(good, f"the ranks are not {seats} times 1 + the number of seats strictly better")
    faults = [(n, kind != "startup", seat) for seat, kind, n in outcome["faults"]]
    resigned = [(n, True, seat) for seat, n in outcome.get("resigned", [])]
    gone = sorted(faults + resigned)
    late = [n for n, started, _ in gone if started]
    good = faults == sorted(faults) and resigned == sorted(resigned) and len(set(late)) == len(late)
    need(good and all(started or n == 0 for n, started, _ in gone), "the withdrawals are not in order")
    if len(gone) == seats and not late:
        need(not actions and reason == "fault" and set(ranks) == {1}, "no seat started, so the match is void")
        return
    over = len(gone) == most
    good = len(gone) <= most and all(ranks[seat - 1] == seats - k for k, (_, _, seat) in enumerate(gone))
    drawn = "laws" in record["limits"] and seats == 2 and ranks == [1, 1] and len(gone) == 1
    drawn = drawn and outcome["faults"][-1:] == [[gone[0][2], "timeout", gone[0][0]]]
    need(good or drawn, "the ranks do not fit the withdrawals")
    words = ["resign" if gone[-1] in resigned else "fault"] if over else ["resign", "fault"]
    need((reason in words) == over, "the reason does not fit the withdrawals")
    need(not over or gone[-1][0] == len(actions), "actions follow the last withdrawal")
    for n, started, seat in gone[:-1] if over else gone:
        good = not started or (n < len(actions) and actions[n][0] == seat)
        need(good, f"seat {seat} was withdrawn after {n} actions, but does not play the next")
    own = [(n, action) for n, (actor, action) in enumerate(actions, 1) if actor]
    given = record["opening"].get("actions", [])
    plies = 0 if over and not late else record["opening"].get("plies", len(given))
    need(len(own) >= plies, f"there are fewer actions than the {plies} of the opening")
    need(not plies or given in ([], [action for _, action in own[:plies]]), "the opening was not played")
    need(not late or not plies or late[0] >= own[plies - 1][0], "a seat was withdrawn inside the opening")
    need(("adjudication" in outcome) == (reason == "adjudication"), "the reason does not fit adjudication")
    if "adjudication" in outcome:
        check_verdict(record["limits"], outcome, actions[-1][0] if len(own) > plies else 0)

def check_verdict(limits: Object, outcome: Object, last: int) -> None:
    ranks, ended, rule = outcome["ranks"], outcome["adjudication"], outcome["adjudication"]["rule"]
    limit: Any = limits.get("tablebase-pieces" if rule == "tablebase" else rule)
    good = limit and last and len(ranks) == 2 and ("scores" in ended) == (rule != "tablebase")
    need(good, f"the limits allow no adjudication by {rule} here")
    for seat, texts in enumerate(ended.get("scores", []), 1):
        draw, lost, most = rule == "draw", rule == "resign" and seat == last, limit["score"]
        good = [abs(x) <= most if draw else (-x if lost else x) >= most for x in map(int, texts)]
        size = limit["movecount"] if draw or lost or limit["sides"] == 2 else 0
        fine = all(good) and len(good) == size and ranks[seat - 1] == 1 + lost
        need(fine, f"the scores and the rank of seat {seat} do not fit {rule}")

class Element:  # its bag; squares are complex numbers (a1 is 0) with a string of the stones on them
    form = "draw-[0-4]|stones-[AEFW]+|(step|jump|[AEFW])-[a-k]([1-9]|1[01])|(river|flow)-[nesw]|end"
    ways, prey = {"n": 1j, "e": 1, "s": -1j, "w": -1}, {"A": "E", "E": "W", "F": "A", "W": "F"}
    starts = {2: [5 + 4j, 5 + 6j], 3: [2 + 2j, 8 + 2j, 8 + 8j], 4: [2 + 2j, 8 + 2j, 8 + 8j, 2 + 8j]}
    def __init__(self, record: Object) -> None:
        need(len(record["seats"]) in self.starts, "element has 2 to 4 seats")
        self.actions, self.sages = record["actions"], list(self.starts[len(record["seats"])])
        self.bag, self.hand, self.weights = dict.fromkeys("AEFW", 30), "", dict[str, int]()
        self.board, self.lost = dict[complex, str](), False  # lost: the sages' freedom decides the river
    def at(self, q: complex) -> str:
        inside = 0 <= q.real < 11 and 0 <= q.imag < 11 and q not in self.sages
        return self.board.get(q, "") if inside else "#"
    def run(self, q: complex, way: complex, kind: str) -> list[complex]:
        found = [q + way]
        while self.at(found[-1])[:1] == kind:
            found.append(found[-1] + way)
        return found[:-1]
    def play(self, n: int, actor: int, action: str) -> None:
        need(re.fullmatch(self.form, action), f"action {n} is none of element")
        verb, _, rest = action.partition("-")
        self.weights = {}
        if verb == "draw" and rest != "0":
            for h in combinations_with_replacement("AEFW", int(rest)):
                self.weights["stones-" + "".join(h)] = prod(comb(self.bag[k], h.count(k)) for k in "AEFW")
        elif verb in ("stones", "end"):
            for kind in rest or self.hand:
                self.bag[kind] += -1 if rest else 1
            self.hand = rest
        elif verb in ("step", "jump"):
            self.sages[actor - 1] = complex(ord(rest[0]) - 97, int(rest[1:]) - 1)
        elif verb in self.bag:
            self.place(n, verb, complex(ord(rest[0]) - 97, int(rest[1:]) - 1))
    def put(self, q: complex, stones: str) -> None:
        for kind in self.at(q) if self.at(q)[:1] != stones[0] else "":
            self.bag[kind] += 1
        self.board[q] = stones
    def place(self, n: int, kind: str, q: complex) -> None:
        old = self.at(q)
        more = old[:1] == kind and len(old) < {"A": 4, "E": 2}.get(kind, 1)
        need(kind in self.hand and (more or old[:1] in ("", self.prey[kind])), f"action {n} cannot be played")
        self.hand = self.hand.replace(kind, "", 1)
        self.put(q, old + kind if more else kind)
        runs = {letter: self.run(q, way, kind) for letter, way in self.ways.items()}
        ends = [run[-1] + self.ways[letter] for letter, run in runs.items() if run and kind == "F"]
        for end in [end for end in ends if self.at(end)[:1] in ("", "A")][: self.bag["F"]]:
            self.bag["F"] -= 1
            self.put(end, "F")
        if kind == "W" and any(runs.values()):
            self.flow(n, q, runs)
    def flow(self, n: int, head: complex, runs: dict[str, list[complex]]) -> None:
        text = "".join(action + " " for _, action in self.actions[n:])  # these say where the river flows
        [said] = re.finditer("^(?:river-([nesw]) )?((?:flow-[nesw] )*)", text)
        path = list(accumulate(said[2][5::7], lambda q, letter: q + self.ways[letter], initial=head))
        good = len(set(path)) == len(path) and all(self.at(q) in ("", "F") for q in path[1:])
        runs = {way: run for way, run in runs.items() if said[1] in (None, way)}
        fitting = [run for run in runs.values() if run and len(run) + 2 == len(path)]
        need(good and (fitting or said.end() == len(text)), f"the river of action {n} cannot flow so")
        for q in path[1:] if fitting else ():
            self.put(q, "W")
        for q in (head, *fitting[0]) if fitting else ():
            del self.board[q]
        self.lost = len(fitting) > 1

ROLLS = {"roll-" + "".join(r): (1, 3, 6)[len(set(r)) - 1] for r in combinations_with_replacement("123", 3)}
WEIGHTS: dict[str, Object] = {"sage-stones": ROLLS, "cyvasse": {}, "sages-tafl": {}, "seven-sages": {}}

def check_dice(record: Object) -> bool:
    if record["rules"] != "1" or record["game"] not in (*WEIGHTS, "element"):
        return False
    bag, k = Element(record) if record["game"] == "element" else None, 0
    own, plies, opened = 0, record["opening"].get("plies", 0), list[tuple[Object, str]]()
    # Only dice that end the game in every early try lead to a late one: a colour has few stones.
    can_end = record["game"] == "sage-stones" and int(record["options"].get("stones", 0)) <= 3 * plies
    def drawn(weights: Object, *labels: int) -> str:
        left = uniform(derive(record["seed"], "chance", *labels), sum(weights.values()))
        ends = zip(weights, accumulate(weights.values()), strict=True)
        return next(outcome for outcome, end in ends if end > left)
    def fits(*labels: int) -> bool:
        return all(drawn(weights, *labels, n) == action for n, (weights, action) in enumerate(opened))
    for n, (actor, action) in enumerate(record["actions"], 1):
        weights = bag.weights if bag else WEIGHTS[record["game"]]
        need(not (actor and bag and weights), f"action {n} is a seat's, but chance acts here")
        own += actor > 0
        if actor == 0:
            need(any(weights.values()), f"action {n} is chance's, which does not act here")
            opened += [(weights, action)] * (own < plies)  # late tries of an opening have dice of their own
            right = drawn(weights, k)
            if own < plies and can_end:
                right = action if fits() or any(map(fits, range(1000, 2000))) else right
            need(action == right, f"action {n} is {action}, but the seed gives {right}")
            k += 1
        if bag:
            bag.play(n, actor, action)
            if bag.lost:
                return False
    return True

def check_place(match: Object, record: Object, cup: Object) -> None:
    plan, book = cup["plan"], cup["plan"]["book"]
    need(all(record[key] == plan[key] for key in SETTINGS), "game, rules, options or limits differ")
    bots = [{"entrant": bot["name"], **{key: bot[key] for key in BOT}} for bot in cup["entrants"]]
    seats = [bots[number] for number in match["seats"] if number < len(bots)]
    if plan["format"] == "tune":  # only tourney verify finds the values of a table
        seats = [{**bot, "args": seat["args"]} for bot, seat in zip(seats, record["seats"], strict=False)]
    need(record["seats"] == seats, "the seats are not those of the match")
    if plan["format"] != "import" and "seed" in cup:
        seed = derive(cup["seed"], "match", *match["place"][: 4 if plan.get("mirrored-dice") is False else 3])
        need(record["seed"] == str(seed), f"the seed of this place is {seed}")
        (when, _, repeat, _), size = match["place"], {2: 2, 3: 6}.get(plan["seats"], 4)
        until = any(key.startswith("until-") for key in plan.get("extra", ()))
        cycles = until and plan["format"] == "round-robin"
        order, lines = plan.get("opening-order"), len(book)
        through = order == "shuffled" and not until and plan.get("rounds") is None
        when = 1 if through and plan["format"] in ("round-robin", "gauntlet") else when
        turn = (when - 1) * (1 if cycles else plan["games-per-pairing"] // size) + repeat - 1
        turn = turn if order else uniform(derive(seed, "book"), lines)
        if order == "shuffled" and book:
            turn = turn if plan.get("mirrored-dice", True) else turn * size + match["place"][3] - 1
            step = 1 + uniform(derive(cup["seed"], "book-step", *sorted(match["seats"])), lines)
            step = next(k for k in range(step, step + lines) if math.gcd(k, lines) == 1)
            turn = uniform(derive(cup["seed"], "book", *sorted(match["seats"])), lines) + turn * step
        opening = {"actions": book[turn % len(book)]} if book else {"plies": plan["opening-plies"]}
        need(record["opening"] == opening, "the opening is not that of the plan")

class Cup:  # what the lines of one tournament have together
    def __init__(self, head: Object) -> None:
        self.head, self.cup, self.leaves = head, head["tournament"], [leaf(head["tournament"])]
        self.last, self.open, self.matches = [0, 0, 0, 0], False, list[Object]()
        self.digests, self.groups = set[str](), dict[tuple[int, ...], list[list[int]]]()
        need("salt" in head or "root" not in head or self.cup["format"][-1] == "1", "the salt is missing")
        if "salt" in head and "commitment" in head:
            self.check_commitment(head["commitment"], bytes.fromhex(head["salt"]))
    def check_commitment(self, commitment: str, salt: bytes) -> None:
        cup, beacon = self.cup, self.cup.get("beacon")
        seal = hashlib.sha256(b"\2" + salt + (b"" if beacon else cup["seed"].encode())).hexdigest()
        begun = [bot for bot in cup["entrants"] if "joined" not in bot]
        first = [{key: bot[key] for key in bot if key != "left"} for bot in begun]
        entry = {key: cup[key] for key in cup if key != "seed"} | {"entrants": first, "seed-commitment": seal}
        entry |= {"beacon": {"round": beacon["round"]}} if beacon else {}
        plan, rounds = cup["plan"], cup["plan"].get("rounds")
        tried = [rounds, *range(1, 1001)] if rounds else [rounds]  # a later file may have changed the number
        made = any(leaf({**entry, "plan": {**plan, "rounds": n}}).hex() == commitment for n in tried)
        need(made, "the commitment is not that of plan, seed and salt")
        if beacon and "seed" in cup:
            parts = b"\3" + bytes.fromhex(commitment) + salt + bytes.fromhex(beacon["value"])
            good = cup["seed"] == str(int.from_bytes(hashlib.sha256(parts).digest(), "big"))
            need(good, "the seed does not follow from commitment and beacon")
    def check(self, match: Object) -> None:
        place, seats, plan = match["place"], match["seats"], self.cup["plan"]
        need(place > self.last, "the place does not come after that of the match before")
        self.last = place
        self.matches.append(match)
        need(all(number < len(self.cup["entrants"]) for number in seats), "a seat has an unknown entrant")
        group = self.groups.setdefault(tuple(place[:3]), [])
        group.append(seats)
        need(plan["format"] == "import" or len(group) == place[3], "a match of the group is missing")
        end = [*place, "void"]
        if "record" in match:
            need(match["record"]["digest"] not in self.digests, "an earlier match has this record")
            self.digests.add(match["record"]["digest"])
            end[4] = match["record"]["digest"]
        elif "void" not in match:
            self.open = True
        elif self.cup["format"][-1] == "2":
            end += [seats, match["void"]["reason"], match["void"].get("entrant")]
        self.leaves.append(leaf(end))
    def redraw(self) -> None:  # the seed is not known before the end
        if "seed" in self.cup and known(self.cup["plan"]):
            found = "the rounds cannot be drawn from the plan"
            with suppress(ArithmeticError, AttributeError, LookupError, TypeError):  # what no plan holds
                found = difference(self.head, self.matches)
            need(not found, found)
    def end(self) -> str:
        there = len(self.leaves) - 1
        need(there == self.head["matches"], f"{there} matches are there, not all")
        before = [0, 0, 0]
        for place, group in self.groups.items() if self.cup["plan"]["format"] != "import" else ():
            who, orders = sorted(group[0]), seat_orders(min(len(group[0]), 4), place[2])
            named = [group[0][orders[0].index(k)] for k in range(len(who))]
            good = len(group) == len(orders) and group == [[named[k] for k in order] for order in orders]
            need(good, f"the group {list(place)} is not whole")
            steps = [[before[0] + 1, 1, 1], [*before[:1], before[1] + 1, 1], [*before[:2], before[2] + 1]]
            need(list(place) in steps, f"places are missing before the group {list(place)}")
            before = list(place)
        self.redraw()
        if self.open or self.head.get("complete") is not True:
            need("root" not in self.head, "there is a root before the end")
            return ""
        root = tree(self.leaves).hex()
        need(self.head.get("root") == root, f"the root is {root}, but its first line says otherwise")
        return root

def check_season(season: Any, roots: dict[int, str]) -> str:
    """Check the root of a league's season and, by the ``roots`` of those before it, what it follows."""
    fits(season, SEASON, "season")
    need(isinstance(season["entries"], list) and season["entries"], "season has no entries")
    head, root = season["entries"][0], tree([*map(leaf, season["entries"])]).hex()
    need(season["root"] == root, f"the root is {root}, but the season says otherwise")
    number: Any = head.get("number") if isinstance(head, dict) else None
    need(type(number) is int and number > 0, "season has no number")
    before = None if number == 1 else roots.get(number - 1, head.get("previous"))
    need(head.get("previous") == before, f"season {number} does not follow the season before it")
    roots[number] = root
    return root

def main(paths: list[str]) -> int:
    if not paths or "--help" in paths:
        sys.stdout.write(str(__doc__))
        return 0 if paths else 2
    records = bad = unknown = 0
    seasons: dict[int, str] = {}
    for path in paths:
        cup: Any = None
        try:
            with open(0 if path == "-" else path, "rb") as file:
                lines = [(n, line) for n, line in enumerate(file, 1) if line.strip(b" \t\r\n")]
        except OSError:
            sys.stderr.write(f"{path} cannot be read\n")
            return 2
        before = bad
        for number, line in lines:
            name = "?"
            try:
                value = parse(line)
                keys = list(value) if isinstance(value, dict) else []
                if "tournament" in keys:
                    fits(value, HEAD, "tournament")
                    cup = Cup(value)
                    continue
                if "format" in keys and value["format"] == "tourney-season/1":
                    print(f"{path}: the root is {check_season(value, seasons)}")
                    continue
                if "place" in keys:
                    fits(value, MATCH, "match")
                    need(cup, "this match comes before its tournament")
                    cup.check(value)
                    if "record" not in value:
                        continue
                records += 1
                record = value["record"] if "place" in keys else value
                check_form(record)
                name = record["digest"][:16]
                check_end(record)
                if "place" in keys:
                    check_place(value, record, cup.cup)
                unknown += not check_dice(record)
            except ValueError as problem:
                bad += 1
                print(f"{path} line {number}, record {name}: {problem}")
        try:
            if cup and bad == before and (root := cup.end()):
                print(f"{path}: the root is {root}")
                form = cup.cup["plan"]["format"]
                if form != "import" and not known(cup.cup["plan"]):
                    print(f"{path}: rounds of {form} with these settings are not drawn again")
        except ValueError as problem:
            bad += 1
            print(f"{path}: {problem}")
    print(f"{records} records, {bad} problems; dice of {unknown} not checked")
    return 1 if bad else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
