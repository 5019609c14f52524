// Check exported records and tournaments without Tourney: node check.mjs FILE ... (- is standard input).
//
// Prints the first problem of each line, the root of each whole tournament, and counts. Exit code: 0 if all is
// right, 1 for a problem, 2 for an unreadable file. Written from docs/reference and docs/rules alone, like check.py;
// it needs check_seeds.mjs, check_schedule.mjs and check_swiss.mjs beside it. It does not know the games' rules:
// whether an action was legal is for `tourney verify` to say.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { difference, known, seatOrders } from "./check_schedule.mjs";
import { derive, uniform } from "./check_seeds.mjs";

export { derive, uniform };

class Problem extends Error {}
const need = (holds, problem) => { if (!holds) throw new Problem(problem); };
const U64 = (1n << 64n) - 1n;

function parsed(text) {
  let at = 0;
  const bad = () => need(false, "");
  const next = (token) => {
    while (" \t\n\r".includes(text[at] ?? "x")) at += 1;
    const found = text.startsWith(token, at);
    at += found ? token.length : 0;
    return found;
  };
  const string = () => {
    const start = next('"') ? at - 1 : bad();
    for (; text[at] !== '"'; at += text[at] === "\\" ? 2 : 1) if (at >= text.length) bad();
    return JSON.parse(text.slice(start, at += 1));
  };
  const items = (end, read) => {
    const found = [];
    if (next(end)) return found;
    do found.push(read()); while (next(","));
    return next(end) ? found : bad();
  };
  const value = () => {
    if (next("[")) return items("]", value);
    if (next("{")) {
      const pairs = items("}", () => [string(), next(":") ? value() : bad()]);
      if (new Set(pairs.map(([key]) => key)).size < pairs.length) bad();
      return Object.assign(Object.create(null), Object.fromEntries(pairs));
    }
    if (text[at] === '"') return string();
    const form = /^(true|false|null|NaN|-?(Infinity|(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?))/;
    const [word] = form.exec(text.slice(at, at + 9999)) ?? [bad()];
    at += word.length;
    if (/^-?[0-9]+$/.test(word)) return word.length > 4300 ? bad() : Number(word);
    return /^[tfn]/.test(word) ? JSON.parse(word) : NaN;
  };
  const whole = value();
  return next("") && at === text.length ? whole : bad();
}

export function parse(bytes) {
  try { return parsed(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)); } catch {
    throw new Problem("this is not JSON, or an object has a key twice");
  }
}
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return typeof value === "number" ? String(value) : JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}
const match = (pattern) => {
  const whole = new RegExp(`^(?:${pattern})$`, "u");
  return (value, what) => need(typeof value === "string" && whole.test(value), `${what} does not match ${pattern}`);
};
const within = (value, low, high) => low <= value && value <= high;
const integer = (low, high) => (value, what) => {
  need(Number.isInteger(value) && within(value, low, high), `${what} is not an integer from ${low} to ${high}`);
};
const list = (item, low, high, size = `${low} to ${high}`) => (value, what) => {
  need(Array.isArray(value) && within(value.length, low, high), `${what} is not a list of ${size} items`);
  value.forEach((entry, n) => (Array.isArray(item) ? item[n] : item)(entry, `${what}[${n}]`));
};
const tuple = (...items) => list(items, items.length, items.length, items.length);
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const object = (required, optional = {}, other = undefined) => (value, what) => {
  const known = new Map([...Object.entries(required), ...Object.entries(optional)]);
  need(isObject(value), `${what} is not an object`);
  for (const key of Object.keys(required)) need(key in value, `${what} has no ${key}`);
  for (const key of Object.keys(value).sort()) {
    const form = known.get(key) ?? other;
    need(form && /^[!-~]{1,200}$/.test(key), `${what} has a key that is not allowed`);
    form(value[key], `${what}.${key}`);
  }
};
const anything = () => {};
const [WORD, TOKEN, DIGEST, LABEL, ARGUMENT, SEED, GAME, SCORE] = [
  "[a-z][a-z0-9-]{0,199}", "[!-~]{1,200}", "[0-9a-f]{64}", "[^\\uD800-\\uDFFF]{1,200}", "[^\\uD800-\\uDFFF]{0,1000}",
  "0|[1-9][0-9]{0,19}", "[a-z][a-z0-9-]{0,199}(:[A-Za-z0-9_.,=()+-]{1,200})?", "0|-?[1-9][0-9]{0,11}",
].map(match);
const [MS, MANY, TABLE, NUMBER] = [integer(1, 2 ** 31 - 1), integer(0, 1e6), integer(1, 64), integer(0, 2 ** 31 - 1)];
const BOT = { bot: LABEL, version: LABEL, args: list(ARGUMENT, 0, 100), digest: DIGEST };
const OWN = { "move-ms": MS, "clock-ms": MS, "increment-ms": NUMBER, nodes: integer(1, 2 ** 53 - 1),
  "clock-moves": integer(1, 1e6), depth: integer(1, 1000) };
const LIMITS = object({ "margin-ms": integer(0, 60000), "startup-ms": integer(1, 3600000), "memory-mb": integer(16, 2 ** 24),
  charge: match("wall|cpu|fuel"), ponder: match("allow|freeze"),
}, { ...OWN, laws: WORD, entrants: list(object({ entrant: LABEL }, OWN), 1, 1e6), "fuel-per-ms": integer(1e3, 1e9), meter: WORD,
  draw: object({ movecount: integer(1, 1000), score: MANY, movenumber: MANY }), "tablebase-pieces": integer(3, 7),
  resign: object({ movecount: integer(1, 1000), score: integer(1, 1e6), sides: integer(1, 2) }) });
const SETTINGS = { game: GAME, rules: TOKEN, options: object({}, {}, TOKEN), limits: LIMITS };
const FAULT = tuple(TABLE, match("startup|illegal|timeout|crash|protocol|overflow"), MANY), GONE = list(tuple(TABLE, MANY), 1, 64);
const RECORD = object({ ...SETTINGS, format: match("tourney-record/1"), seed: SEED, digest: DIGEST,
  opening: object({}, { plies: MANY, actions: list(TOKEN, 1, 1e6) }),
  seats: list(object({ entrant: LABEL, ...BOT }), 1, 64), actions: list(tuple(integer(0, 64), TOKEN), 0, 1e6),
  outcome: object({ ranks: list(TABLE, 1, 64), reason: WORD, faults: list(FAULT, 0, 64) }, { resigned: GONE,
    adjudication: object({ rule: match("draw|resign|tablebase") }, { scores: list(list(SCORE, 0, 1000), 2, 2) }) }) });
const BOOK = list(list(TOKEN, 1, 1e6), 0, 1e6);
const PLAN = object({ ...SETTINGS, format: WORD, "opening-plies": MANY, book: BOOK }, {}, anything);
const ENTRANTS = list(object({ name: LABEL, ...BOT }, {}, anything), 1, 1e6);
const CUP = object({ format: match("tourney-plan/[12]"), plan: PLAN, entrants: ENTRANTS }, {
  seed: match("0|[1-9][0-9]{0,77}"), "seed-commitment": DIGEST,
  beacon: object({ round: LABEL }, { value: match("([0-9a-f]{2})*") }) }, anything);
const HEAD = object({ tournament: CUP, matches: NUMBER }, { complete: anything, root: DIGEST, commitment: DIGEST,
  salt: match("[0-9a-f]{32}") }, anything);
const MATCH = object({ place: tuple(MS, MS, MS, MS), seats: list(NUMBER, 1, 64) }, {
  record: object({ digest: DIGEST }, {}, anything), void: object({ reason: WORD }, { entrant: NUMBER }) }, anything);
const SEASON = object({ format: match("tourney-season/1"), root: DIGEST, entries: list(anything, 1, 1e7) });
function checkForm(record) {
  RECORD(record, "record");
  const { seats, actions, outcome, limits } = record;
  need(BigInt(record.seed) <= U64, "the seed is not below 2^64");
  need(Object.keys(record.opening).length === 1, "the opening does not hold either plies or actions");
  const pairs = [["clock-ms" in limits, "increment-ms" in limits], [limits.charge === "fuel", "fuel-per-ms" in limits, "meter" in limits]];
  need(pairs.every((one) => new Set(one).size === 1), "limits lack keys");
  need(actions.every(([actor]) => actor <= seats.length), `an actor is not from 0 to ${seats.length}`);
  const gone = [...outcome.faults, ...(outcome.resigned ?? [])];
  const good = gone.every((entry) => entry[0] <= seats.length && entry.at(-1) <= actions.length);
  need(good, "a fault or resignation is out of bounds");
  need(new Set(gone.map(([seat]) => seat)).size === gone.length, "a seat is withdrawn twice");
  const { digest, ...body } = record;
  const found = createHash("sha256").update(canonical(body)).digest("hex");
  need(found === digest, `the digest does not fit the content, which has ${found}`);
}
const rising = (numbers) => numbers.every((number, k) => k === 0 || numbers[k - 1] < number);
function checkEnd({ seats, actions, outcome, opening, limits }) {
  const { ranks, reason } = outcome;
  const placed = ranks.every((rank) => rank === 1 + ranks.filter((other) => other < rank).length);
  need(placed && ranks.length === seats.length, `the ranks are not ${seats.length} times 1 + the number of seats strictly better`);
  const faults = outcome.faults.map(([seat, kind, n]) => ({ n, seat, kind }));
  const resigned = (outcome.resigned ?? []).map(([seat, n]) => ({ n, seat, kind: "resign" }));
  const early = faults.slice(0, faults.filter(({ kind }) => kind === "startup").length);
  const others = faults.slice(early.length);
  const late = [...others, ...resigned].sort((a, b) => a.n - b.n);
  const started = early.every(({ kind, n }) => kind === "startup" && n === 0) && rising(early.map(({ seat }) => seat));
  const ordered = [late, others, resigned].every((part) => rising(part.map(({ n }) => n)));
  need(started && ordered, "the withdrawals are not in order");
  const isVoid = !actions.length && reason === "fault" && Math.max(...ranks) === 1;
  need(early.length < seats.length || isVoid, "no seat started, so the match is void");
  if (early.length === seats.length) return;
  const [gone, most] = [[...early, ...late], Math.max(1, seats.length - 1)];
  const good = gone.length <= most && gone.every(({ seat }, k) => ranks[seat - 1] === seats.length - k);
  const out = gone.length === 1 && gone[0].kind === "timeout";
  const drawn = "laws" in limits && seats.length === 2 && Math.max(...ranks) === 1 && out;
  need(good || drawn, "the ranks do not fit the withdrawals");
  const last = gone.length === most ? gone.at(-1) : null;
  const words = last ? [last.kind === "resign" ? "resign" : "fault"] : ["resign", "fault"];
  need(words.includes(reason) === Boolean(last), "the reason does not fit the withdrawals");
  need(!last || last.n === actions.length, "actions follow the last withdrawal");
  for (const { n, seat } of late.filter((entry) => entry !== last)) {
    need(actions[n]?.[0] === seat, `seat ${seat} was withdrawn after ${n} actions, but does not play the next`);
  }
  if (last?.kind === "startup") return;
  const own = actions.map(([actor, action], k) => ({ n: k + 1, actor, action })).filter(({ actor }) => actor);
  const plies = opening.plies ?? opening.actions.length;
  need(own.length >= plies, `there are fewer actions than the ${plies} of the opening`);
  need((opening.actions ?? []).every((action, k) => own[k].action === action), "the opening was not played");
  need(!late.length || !plies || late[0].n >= own[plies - 1].n, "a seat was withdrawn inside the opening");
  need("adjudication" in outcome === (reason === "adjudication"), "the reason does not fit adjudication");
  if ("adjudication" in outcome) checkVerdict(limits, outcome, own.length > plies ? actions.at(-1)[0] : 0);
}

function checkVerdict(limits, { ranks, adjudication: { rule, scores } }, last) {
  const limit = limits[rule === "tablebase" ? "tablebase-pieces" : rule];
  const known = limit && last && ranks.length === 2 && (scores === undefined) === (rule === "tablebase");
  need(known, `the limits allow no adjudication by ${rule} here`);
  for (const [k, texts] of (scores ?? []).entries()) {
    const [draw, lost] = [rule === "draw", rule === "resign" && k + 1 === last];
    const good = texts.every((x) => (draw ? Math.abs(x) <= limit.score : (lost ? -x : +x) >= limit.score));
    const size = draw || lost || limit.sides === 2 ? limit.movecount : 0;
    const fine = good && texts.length === size && ranks[k] === (lost ? 2 : 1);
    need(fine, `the scores and the rank of seat ${k + 1} do not fit ${rule}`);
  }
}
const hands = (kinds, size) => (size === 0 ? [""]
  : [...kinds].flatMap((kind, k) => hands(kinds.slice(k), size - 1).map((rest) => kind + rest)));
const choose = (n, k) => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
const count = (hand, kind) => hand.split(kind).length - 1;
const ROLLS = new Map(hands("123", 3).map((roll) => [`roll-${roll}`, [1, 3, 6][new Set(roll).size - 1]]));
const NONE = new Map();
const WEIGHTS = new Map([["sage-stones", ROLLS], ["cyvasse", NONE], ["sages-tafl", NONE], ["seven-sages", NONE]]);
// Squares of Element are 100 times the column plus the row, both from 0; beyond the edge 100 is far enough.
const square = (name) => 100 * "abcdefghijk".indexOf(name[0]) + Number(name.slice(1)) - 1;
const [WAYS, PREY] = [{ n: 1, e: 100, s: -1, w: -100 }, { A: "E", E: "W", F: "A", W: "F" }];
const STARTS = { 2: ["f5", "f7"], 3: ["c3", "i3", "i9"], 4: ["c3", "i3", "i9", "c9"] };
const FORM = /^(draw-[0-4]|stones-[AEFW]+|(step|jump|[AEFW])-[a-k]([1-9]|1[01])|(river|flow)-[nesw]|end)$/;
class Element {
  constructor({ seats, actions }) {
    need(seats.length in STARTS, "element has 2 to 4 seats");
    this.sages = STARTS[seats.length].map(square);
    const bag = { A: 30, E: 30, F: 30, W: 30 };
    Object.assign(this, { actions, bag, hand: "", board: new Map(), weights: new Map() });
  }
  at(q) {
    const inside = within(Math.floor(q / 100), 0, 10) && (q + 1000) % 100 < 11 && !this.sages.includes(q);
    return inside ? this.board.get(q) ?? ["", 0] : ["#", 0];
  }
  run(q, way, kind) {
    const found = [];
    for (let next = q + way; this.at(next)[0] === kind; next += way) found.push(next);
    return found;
  }
  play(n, actor, action) {
    need(FORM.test(action), `action ${n} is none of element`);
    const [verb, rest = ""] = action.split("-");
    this.weights = new Map();
    if (verb === "draw" && rest !== "0") {
      const ways = (hand) => [..."AEFW"].map((kind) => choose(this.bag[kind], count(hand, kind)));
      const all = hands("AEFW", Number(rest)).map((hand) => [`stones-${hand}`, ways(hand).reduce((a, b) => a * b)]);
      this.weights = new Map(all);
    } else if (verb === "stones" || verb === "end") {
      for (const kind of rest || this.hand) this.bag[kind] += rest ? -1 : 1;
      this.hand = rest;
    } else if (verb === "step" || verb === "jump") this.sages[actor - 1] = square(rest);
    else if (verb in this.bag) this.place(n, verb, square(rest));
  }
  put(q, [kind, stones]) {
    const [old, gone] = this.at(q);
    if (old !== "" && old !== kind) this.bag[old] += gone;
    this.board.set(q, [kind, stones]);
  }
  place(n, kind, q) {
    const [old, stones] = this.at(q);
    const more = old === kind && stones < ({ A: 4, E: 2 }[kind] ?? 1);
    need(this.hand.includes(kind) && (more || ["", PREY[kind]].includes(old)), `action ${n} cannot be played`);
    this.hand = this.hand.replace(kind, "");
    this.put(q, [kind, more ? stones + 1 : 1]);
    const runs = Object.entries(WAYS).map(([letter, way]) => [letter, this.run(q, way, kind)]);
    if (kind === "F") {
      const ends = runs.filter(([, run]) => run.length).map(([letter, run]) => run.at(-1) + WAYS[letter]);
      const free = ends.filter((one) => ["", "A"].includes(this.at(one)[0])).slice(0, this.bag.F);
      for (const end of free) { this.bag.F -= 1; this.put(end, ["F", 1]); }
    } else if (kind === "W" && runs.some(([, run]) => run.length)) this.flow(n, q, runs);
  }
  flow(n, head, runs) {
    const text = this.actions.slice(n).map(([, action]) => `${action} `).join("");
    const [said, named, letters] = /^(?:river-([nesw]) )?((?:flow-[nesw] )*)/.exec(text);
    const path = [head];
    for (const [, letter] of letters.matchAll(/flow-(.)/g)) path.push(path.at(-1) + WAYS[letter]);
    const free = path.slice(1).every((q) => ["", "F"].includes(this.at(q)[0])) && new Set(path).size === path.length;
    const fitting = runs.filter(([way, run]) => run.length && run.length + 2 === path.length && (named ?? way) === way);
    need(free && (fitting.length || said === text), `the river of action ${n} cannot flow so`);
    if (!fitting.length) return;
    for (const q of path.slice(1)) this.put(q, ["W", 1]);
    for (const q of [head, ...fitting[0][1]]) this.board.delete(q);
    this.lost = fitting.length > 1; // which of two rivers flowed: the sages' freedom decides, which is not looked at
  }
}

function checkDice(record) {
  const { game, rules, seed, actions } = record;
  if (rules !== "1" || !(game === "element" || WEIGHTS.has(game))) return false;
  const bag = game === "element" ? new Element(record) : null;
  let [n, k, own] = [0, 0, 0];
  const opened = []; // late tries of an opening have dice of their own
  const plies = record.opening.plies ?? 0;
  // Only dice that end the game in every early try lead to a late one: a colour has few stones.
  const canEnd = game === "sage-stones" && Number(record.options.stones ?? 0) <= 3 * plies;
  const drawn = (weights, ...labels) => {
    let left = uniform(derive(seed, "chance", ...labels), [...weights.values()].reduce((sum, weight) => sum + weight, 0));
    return [...weights].find(([, weight]) => (left -= weight) < 0)[0];
  };
  const fits = (...labels) => opened.every(([weights, action], at) => drawn(weights, ...labels, at) === action);
  const late = () => Array.from({ length: 1000 }, (_, at) => 1000 + at).some((number) => fits(number));
  for (const [actor, action] of actions) {
    n += 1;
    own += actor > 0;
    const weights = bag ? bag.weights : WEIGHTS.get(game);
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    need(!(actor && bag && weights.size), `action ${n} is a seat's, but chance acts here`);
    if (actor === 0) {
      need(total, `action ${n} is chance's, which does not act here`);
      const early = canEnd && own < plies;
      if (early) opened.push([weights, action]);
      const right = drawn(weights, k);
      need((early ? fits() || late() : action === right), `action ${n} is ${action}, but the seed gives ${right}`);
      k += 1;
    }
    bag?.play(n, actor, action);
    if (bag?.lost) return false;
  }
  return true;
}
const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
export const leaf = (entry) => sha256(Buffer.from([0]), Buffer.from(canonical(entry)));
export function tree(leaves) {
  if (leaves.length === 1) return leaves[0];
  const split = 2 ** (31 - Math.clz32(leaves.length - 1));
  return sha256(Buffer.from([1]), tree(leaves.slice(0, split)), tree(leaves.slice(split)));
}

function checkPlace(match, record, { plan, seed, entrants }) {
  const same = (one, other) => canonical(one) === canonical(other);
  need(Object.keys(SETTINGS).every((key) => same(record[key], plan[key])), "game, rules, options or limits differ");
  const seats = match.seats.map((number) => entrants[number]).filter(Boolean)
    .map(({ name, bot, version, args, digest }, k) => {
      // In a tuning each table has values of its own, which only `tourney verify` finds again.
      const own = plan.format === "tune" ? record.seats[k]?.args : args;
      return { entrant: name, bot, version, args: own, digest };
    });
  need(same(record.seats, seats), "the seats are not those of the match");
  if (plan.format === "import" || seed === undefined) return;
  const own = derive(seed, "match", ...match.place.slice(0, plan["mirrored-dice"] === false ? 4 : 3));
  need(record.seed === String(own), `the seed of this place is ${own}`);
  const cycles = plan.format === "round-robin" && Object.keys(plan.extra ?? {}).some((key) => key.startsWith("until-"));
  const repeats = cycles ? 1 : Math.floor(plan["games-per-pairing"] / ({ 2: 2, 3: 6 }[plan.seats] ?? 4));
  const order = plan["opening-order"], lines = plan.book.length;
  const until = Object.keys(plan.extra ?? {}).some((key) => key.startsWith("until-"));
  const through = order === "shuffled" && !until && (plan.rounds ?? null) === null && ["round-robin", "gauntlet"].includes(plan.format);
  const turn = (through ? 0 : match.place[0] - 1) * repeats + match.place[2] - 1;
  const at = order === "shuffled" ? shuffled(turn) : order ? turn % Math.max(1, lines) : uniform(derive(own, "book"), lines);
  function shuffled(turn) {
    if (!lines) return 0;
    const labels = [...match.seats].sort((a, b) => a - b), size = { 2: 2, 3: 6 }[plan.seats] ?? 4;
    const gcd = (a, b) => (b ? gcd(b, a % b) : a);
    let step = 1 + uniform(derive(seed, "book-step", ...labels), lines);
    while (gcd(step, lines) > 1) step += 1;
    const number = plan["mirrored-dice"] === false ? turn * size + match.place[3] - 1 : turn;
    return (uniform(derive(seed, "book", ...labels), lines) + number * step) % lines;
  }
  const opening = plan.book.length ? { actions: plan.book[at] } : { plies: plan["opening-plies"] };
  need(same(record.opening, opening), "the opening is not that of the plan");
}

const hex = (text) => Buffer.from(text, "hex");

class Cup { // what the lines of one tournament have together
  constructor(head) {
    const cup = head.tournament;
    Object.assign(this, { head, cup, leaves: [leaf(cup)], last: [0, 0, 0, 0], open: false });
    Object.assign(this, { digests: new Set(), groups: new Map(), matches: [] });
    need("salt" in head || !("root" in head) || cup.format.endsWith("1"), "the salt is missing");
    if ("salt" in head && "commitment" in head) this.checkCommitment(head.commitment, hex(head.salt));
  }
  checkCommitment(commitment, salt) {
    const { seed, ...entry } = this.cup;
    const { plan, beacon } = entry;
    const seal = sha256(Buffer.from([2]), salt, Buffer.from(beacon ? "" : seed)).toString("hex");
    const first = entry.entrants.filter((bot) => !("joined" in bot)).map(({ left, ...rest }) => rest);
    Object.assign(entry, { entrants: first, "seed-commitment": seal }, beacon ? { beacon: { round: beacon.round } } : {});
    const tried = plan.rounds ? [plan.rounds, ...Array.from({ length: 1000 }, (_, n) => n + 1)] : [plan.rounds];
    const made = tried.some((rounds) => {
      const begun = rounds === undefined ? plan : { ...plan, rounds }; // a later file may have changed the number
      return leaf({ ...entry, plan: begun }).toString("hex") === commitment;
    });
    need(made, "the commitment is not that of plan, seed and salt");
    if (!beacon || seed === undefined) return;
    const mixed = sha256(Buffer.from([3]), hex(commitment), salt, hex(beacon.value)).toString("hex");
    need(seed === String(BigInt(`0x${mixed}`)), "the seed does not follow from commitment and beacon");
  }
  check(match) {
    const { place, seats } = match;
    const { plan, entrants, format } = this.cup;
    const at = place.findIndex((part, n) => part !== this.last[n]);
    need(at >= 0 && place[at] > this.last[at], "the place does not come after that of the match before");
    this.last = place;
    this.matches.push(match);
    need(seats.every((number) => number < entrants.length), "a seat has an unknown entrant");
    const key = place.slice(0, 3).join();
    this.groups.set(key, [...this.groups.get(key) ?? [], seats]);
    need(plan.format === "import" || this.groups.get(key).length === place[3], "a match of the group is missing");
    const end = [...place, "void"];
    if ("record" in match) {
      need(!this.digests.has(match.record.digest), "an earlier match has this record");
      this.digests.add(match.record.digest);
      end[4] = match.record.digest;
    } else if (!("void" in match)) this.open = true;
    else if (format.endsWith("2")) end.push(seats, match.void.reason, match.void.entrant ?? null);
    this.leaves.push(leaf(end));
  }
  redraw() { // the seed is not known before the end
    const { head, cup, matches } = this;
    if (cup.seed === undefined || !known(cup.plan)) return;
    let found = "the rounds cannot be drawn from the plan";
    try { found = difference(head, matches); } catch (problem) {
      if (!(problem instanceof TypeError || problem instanceof RangeError || problem instanceof SyntaxError)) throw problem;
    }
    need(!found, found);
  }
  end() {
    const { head, cup, leaves } = this;
    need(leaves.length === head.matches + 1, `${leaves.length - 1} matches are there, not all`);
    let before = [0, 0, 0];
    for (const [key, group] of cup.plan.format === "import" ? [] : this.groups) {
      const place = key.split(",").map(Number), orders = seatOrders(Math.min(group[0].length, 4), place[2]);
      const named = group[0].map((_, k) => group[0][orders[0].indexOf(k)]);
      const whole = orders.map((order) => order.map((k) => named[k]).join()).join(" ");
      need(group.join(" ") === whole, `the group [${place.join(", ")}] is not whole`);
      const [round, table, repeat] = before;
      const steps = [[round + 1, 1, 1], [round, table + 1, 1], [round, table, repeat + 1]].map(String);
      need(steps.includes(key), `places are missing before the group [${place.join(", ")}]`);
      before = place;
    }
    this.redraw();
    if (this.open || head.complete !== true) {
      need(!("root" in head), "there is a root before the end");
      return "";
    }
    const root = tree(leaves).toString("hex");
    need(head.root === root, `the root is ${root}, but its first line says otherwise`);
    return root;
  }
}

function* linesOf(bytes) {
  for (let at = 0, number = 1, end = 0; at < bytes.length; number += 1, at = end + 1) {
    end = bytes.indexOf(10, at) < 0 ? bytes.length : bytes.indexOf(10, at);
    if (bytes.subarray(at, end).some((byte) => ![32, 9, 13].includes(byte))) yield [number, bytes.subarray(at, end)];
  }
}

function checkSeason(season, roots) {
  SEASON(season, "season");
  const root = tree(season.entries.map(leaf)).toString("hex"), [head] = season.entries;
  need(season.root === root, `the root is ${root}, but the season says otherwise`);
  const number = isObject(head) ? head.number : null, previous = number ? head.previous ?? null : null;
  need(Number.isInteger(number) && number > 0, "season has no number");
  const before = number === 1 ? null : roots.get(number - 1) ?? previous;
  need(previous === before, `season ${number} does not follow the season before it`);
  roots.set(number, root);
  return root;
}

function checkLine(line, file) {
  const value = parse(line);
  const has = (key) => isObject(value) && key in value;
  if (has("format") && value.format === "tourney-season/1") {
    return process.stdout.write(`${file.path}: the root is ${checkSeason(value, file.seasons)}\n`);
  }
  if (has("tournament")) {
    HEAD(value, "tournament");
    return (file.cup = new Cup(value));
  }
  if (has("place")) MATCH(value, "match");
  need(file.cup || !has("place"), "this match comes before its tournament");
  if (has("place")) file.cup.check(value);
  if (has("place") && !has("record")) return null;
  const record = has("place") ? value.record : value;
  file.records += 1;
  checkForm(record);
  file.name = record.digest.slice(0, 16);
  checkEnd(record);
  if (has("place")) checkPlace(value, record, file.cup.cup);
  return (file.unknown += checkDice(record) ? 0 : 1);
}

function main(paths) {
  if (!paths.length || paths.includes("--help")) {
    const [help] = readFileSync(new URL(import.meta.url), "utf-8").split("\n\n");
    process.stdout.write(`${help.replace(/^\/\/ ?/gm, "")}\n`);
    return paths.length ? 0 : 2;
  }
  const file = { records: 0, bad: 0, unknown: 0, seasons: new Map() };
  for (const path of paths) {
    Object.assign(file, { path, cup: null, before: file.bad });
    let bytes = null;
    try { bytes = readFileSync(path === "-" ? 0 : path); } catch { process.stderr.write(`${path} cannot be read\n`); }
    if (!bytes) return 2;
    for (const [number, line] of linesOf(bytes)) {
      file.name = "?";
      try { checkLine(line, file); } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        file.bad += 1;
        process.stdout.write(`${path} line ${number}, record ${file.name}: ${problem.message}\n`);
      }
    }
    try {
      const root = file.cup && file.bad === file.before ? file.cup.end() : "";
      if (root) process.stdout.write(`${path}: the root is ${root}\n`);
      const format = root && file.cup.cup.plan.format;
      const drawn = !root || format === "import" || known(file.cup.cup.plan);
      if (!drawn) process.stdout.write(`${path}: rounds of ${format} with these settings are not drawn again\n`);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      file.bad += 1;
      process.stdout.write(`${path}: ${problem.message}\n`);
    }
  }
  process.stdout.write(`${file.records} records, ${file.bad} problems; dice of ${file.unknown} not checked\n`);
  return file.bad ? 1 : 0;
}

const [, self, ...given] = process.argv;
if (self && import.meta.url === pathToFileURL(self).href) process.exitCode = main(given);
