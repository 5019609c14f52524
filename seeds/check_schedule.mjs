// Schedules of exported tournaments, drawn again for check.mjs. Written from docs/reference/schedules.md alone.

import { derive, uniform } from "./check_seeds.mjs";
import { compared, count, counted, pairsOf, permuted, range, sortedBy, sum, swiss } from "./check_swiss.mjs";

const SCALE = 2.302585092994046 / 400;
export const seatOrders = (seats, repeat) => {
  if (seats < 4) return permuted(range(seats));
  const four = [0, ...permuted([1, 2, 3])[(repeat - 1) % 6]];
  return range(4).map((k) => [...four.slice(k), ...four.slice(0, k)]);
};
const groupKey = (group) => [...group].sort((a, b) => a - b).join();
const isFirst = (place) => place[2] === 1 && place[3] === 1;
// Each seat's points; a void match has no ranks.
const unitsOf = (ranks, seats) => seats.map((_, k) => ranks.length
  ? sum(ranks.map((other) => 2 * Number(other > ranks[k]) + Number(other === ranks[k]))) - 1 : 0);

// What is known when the rounds after `drawn` are drawn, and the plan, which a later file may have changed.
class Draw {
  constructor({ plan, entrants, seed }, matches, replaced, drawn) {
    const { format, seats, rounds, extra, ranking = {} } = plan, seen = drawn - Number(format === "adaptive");
    Object.assign(this, { format, seats, rounds, extra, seed, drawn, games: plan["games-per-pairing"], paired: new Map() });
    this.until = Object.keys(extra).some((key) => key.startsWith("until-"));
    this.size = seatOrders(seats, 1).length;
    this.win = 2 * (seats - 1);
    const { bye = seats === 2 ? "win" : "half", "extra-groups": extraGroups = 2 } = ranking; // older plans lack it
    if (bye !== "win" && bye !== "half") throw new TypeError("an unknown bye");
    this.bye = this.games * this.win / (bye === "win" ? 1 : 2);
    this.extraGroups = extraGroups;
    this.players = entrants.slice(0, 1 + Math.max(-1, ...range(entrants.length).filter((n) => (entrants[n].joined ?? 1) <= drawn + 1)));
    this.rows = matches.filter(({ place }) => place[0] <= drawn);
    [this.results, this.open] = [[], []];
    for (const [k, match] of matches.entries()) {
      if (match.place[0] <= seen) this.see(match, replaced.find((old) => old.match === k + 1 && old.rounds > drawn));
    }
    this.waiting = this.rows.filter(({ place }) => place[0] > seen && isFirst(place)).map(({ seats: group }) => group);
    this.leave();
  }
  leave() {
    this.left = new Map();
    for (const [number, { left }] of this.players.entries()) if (left <= this.drawn + 1) this.left.set(number, left);
    const failed = new Map();
    for (const { place, seats, faults } of this.results) {
      if (faults.every((fault) => fault === "startup")) continue;
      for (const number of seats.filter((_, k) => faults[k] === "startup")) {
        count(failed, number);
        const round = place[0] + 1;
        if (failed.get(number) === 3) this.left.set(number, Math.min(round, this.left.get(number) ?? round));
      }
    }
  }
  see(match, old) {
    const { place, seats, record } = match;
    let [ranks, faults] = [[], seats.map(() => "")];
    if (old) [ranks, faults] = [old.void ? [] : old.ranks, old.faults];
    else if (record) {
      for (const [seat, kind] of record.outcome.faults) faults[seat - 1] = kind;
      if (!faults.every((fault) => fault === "startup")) ranks = record.outcome.ranks;
    } else if (!("void" in match)) return this.open.push(match);
    return this.results.push({ place, seats, ranks, faults, units: unitsOf(ranks, seats) });
  }
  derive(...labels) { return derive(this.seed, ...labels); }
  present(number, round) {
    return (this.players[number].joined ?? 1) <= round && round < (this.left.get(number) ?? round + 1);
  }
  seeded() {
    const rated = ({ rating }) => [Number(rating === undefined), -(rating ?? 0)];
    const order = range(this.players.length);
    return this.extra.seeding === "rating" ? sortedBy(order, (n) => rated(this.players[n])) : order;
  }
  done() { // repeats of each group so far
    const found = new Map();
    for (const { place, seats } of this.rows) {
      const key = groupKey(seats);
      found.set(key, Math.max(place[2], counted(found, key)));
    }
    return found;
  }
  isNew(group) { return counted(this.paired, groupKey(group)) < this.games / this.size; }
}

// Tables and the order in which they list their entrants

function berger(n) {
  const ring = n + n % 2 - 1, half = (ring + 1) / 2;
  return range(ring).map((r) => {
    const first = r * half % ring, top = r % 2 ? [ring, first] : [first, ring];
    const pairs = [top, ...range(half, 1).map((i) => [(first + i) % ring, (first - i + ring) % ring])];
    return pairs.filter((pair) => Math.max(...pair) < n);
  });
}

const combined = (items, size) => (size === 0 ? [[]]
  : items.flatMap((one, k) => combined(items.slice(k + 1), size - 1).map((rest) => [one, ...rest])));

function firstFit(groups) {
  const rounds = [], busy = [];
  for (const group of groups) {
    const found = busy.findIndex((there) => group.every((one) => !there.has(one)));
    const r = found < 0 ? rounds.length : found;
    if (found < 0) { rounds.push([]); busy.push(new Set()); }
    rounds[r].push(group);
    group.forEach((one) => busy[r].add(one));
  }
  return rounds;
}

// Each group in the order that gives its entrants each place equally often.
export function listed(groups) {
  const size = groups[0]?.length ?? 0, free = () => range(size).map(() => null);
  const left = [], right = new Map(), seen = new Map(); // per colour: of a group the node, of a node the group
  const exchange = (node, colour, other) => {
    const path = [];
    let [at, onRight, c] = [node, true, colour];
    for (let end; (end = (onRight ? right.get(at) : left[at])[c]) !== null;) {
      path.push(onRight ? [end, at, c] : [at, end, c]);
      [at, onRight, c] = [end, !onRight, colour + other - c];
    }
    for (const [group, end, k] of path) left[group][k] = right.get(end)[k] = null;
    for (const [group, end, k] of path) {
      [left[group][colour + other - k], right.get(end)[colour + other - k]] = [end, group];
    }
  };
  for (const [number, group] of groups.entries()) {
    left.push(free());
    for (const entrant of group) {
      const node = `${entrant} ${Math.floor(counted(seen, entrant) / size)}`;
      count(seen, entrant);
      if (!right.has(node)) right.set(node, free());
      const mine = left[number], theirs = right.get(node);
      let colour = mine.indexOf(null);
      if (theirs[colour] !== null) {
        const both = range(size).find((c) => mine[c] === null && theirs[c] === null);
        if (both === undefined) exchange(node, colour, theirs.indexOf(null)); else colour = both;
      }
      [mine[colour], theirs[colour]] = [node, number];
    }
  }
  return left.map((places) => places.map((node) => Number(node.split(" ")[0])));
}
const listedRounds = (rounds) => {
  const ordered = listed(rounds.flat());
  return rounds.map((tables) => ordered.splice(0, tables.length));
};

class Design { // rounds in which all pairs meet equally often, by annealing
  constructor(n, seats, rounds, seed, before) {
    Object.assign(this, { n, seats, places: [], byes: [], seed: derive(seed, "design", n, seats, before.length, rounds) });
    this.met = range(n).map(() => range(n).map(() => 0));
    this.rested = range(n).map((one) => before.filter((tables) => !tables.flat().includes(one)).length);
    const order = this.shuffled("order");
    for (const r of range(rounds)) {
      const byes = sortedBy(order, (one) => [this.rested[one]]).slice(0, n % seats);
      for (const one of byes) this.rested[one] += 1;
      this.byes.push(byes);
      this.places.push(this.shuffled("round", r).filter((one) => !byes.includes(one)));
    }
    for (const table of [...before, ...this.places.map((places) => this.tables(places))].flat()) {
      for (const [a, b] of pairsOf(table)) { this.met[a][b] += 1; this.met[b][a] += 1; }
    }
  }
  shuffled(...labels) {
    const order = range(this.n), seed = derive(this.seed, ...labels);
    for (let k = 0, last = this.n - 1; last > 0; k += 1, last -= 1) {
      const other = uniform(derive(seed, k), last + 1);
      [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
  }
  tables(places) { return range(places.length / this.seats).map((k) => places.slice(k * this.seats, (k + 1) * this.seats)); }
  table(places, k, without) {
    const first = k - k % this.seats;
    return places.slice(first, first + this.seats).filter((one) => one !== without);
  }
  below(total) { // the next part of the move's random number
    this.u *= BigInt(total);
    const part = Number(this.u >> 64n);
    this.u &= (1n << 64n) - 1n;
    return part;
  }
  spread() {
    const pairs = this.met.flatMap((line, a) => line.slice(0, a));
    return pairs.length ? Math.max(...pairs) - Math.min(...pairs) : 0;
  }
  run() {
    const { n, seats } = this, pairs = n * (n - 1) / 2, [tables, spare] = [Math.floor(n / seats), n % seats];
    const squares = sum(this.met.flat().map((met) => met * met)) / 2, meetings = sum(this.met.flat()) / 2;
    const each = Math.floor(meetings / pairs), more = meetings % pairs;
    const least = more * (each + 1) ** 2 + (pairs - more) * each ** 2;
    const copied = () => this.places.map((places) => [...places]);
    let [cost, best, spread, kept] = [squares, squares, this.spread(), copied()];
    for (let move = 0; move < 180000 && best !== least && this.places.length && (tables > 1 || spare); move += 1) {
      const heat = 512 - Math.floor(448 * (move % 90000) / 90000);
      this.u = derive(this.seed, "move", move);
      const kind = spare ? this.below(4) : 1;
      cost += kind && tables > 1 ? this.exchange(heat) : this.exchangeBye(heat);
      if (cost < best || (cost === best && spread > 2 && this.spread() < spread)) {
        [best, spread, kept] = [cost, this.spread(), copied()];
      }
    }
    return kept.map((places) => this.tables(places).map((table) => table.sort((a, b) => a - b)));
  }
  passes(change, heat) { return change <= 0 || this.u < (1n << 64n) >> BigInt(Math.floor(512 * change / heat)); }
  replace(gone, next, others) { // seats another entrant with others; the change of the cost
    const change = sum(others.map((one) => 2 * (this.met[next][one] - this.met[gone][one] + 1)));
    for (const one of others) {
      for (const [entrant, more] of [[gone, -1], [next, 1]]) {
        this.met[entrant][one] += more;
        this.met[one][entrant] += more;
      }
    }
    return change;
  }
  exchange(heat) {
    const places = this.places[this.below(this.places.length)], i = this.below(places.length);
    let j = this.below(places.length - this.seats);
    if (j >= i - i % this.seats) j += this.seats;
    const [x, y] = [places[i], places[j]], ours = this.table(places, i, x), theirs = this.table(places, j, y);
    const change = this.replace(x, y, ours) + this.replace(y, x, theirs);
    if (this.passes(change, heat)) {
      [places[i], places[j]] = [y, x];
      return change;
    }
    this.replace(y, x, ours);
    this.replace(x, y, theirs);
    return 0;
  }
  exchangeBye(heat) {
    const one = this.below(this.places.length), other = this.below(this.places.length);
    const i = this.below(this.byes[one].length), x = this.byes[one][i];
    let [y, turns] = [0, []];
    if (one === other) {
      const j = this.below(this.places[one].length);
      y = this.places[one][j];
      if (this.rested[x] !== this.rested[y] + 1) return 0;
      turns = [[one, i, j]];
    } else {
      const k = this.below(this.byes[other].length);
      y = this.byes[other][k];
      if (this.byes[other].includes(x) || this.byes[one].includes(y)) return 0;
      turns = [[one, i, this.places[one].indexOf(y)], [other, k, this.places[other].indexOf(x)]];
    }
    const change = sum(turns.map((turn) => this.swap(...turn)));
    if (!this.passes(change, heat)) {
      turns.forEach((turn) => this.swap(...turn));
      return 0;
    }
    this.rested[x] -= Number(one === other);
    this.rested[y] += Number(one === other);
    return change;
  }
  swap(r, i, j) {
    const byes = this.byes[r], places = this.places[r];
    [byes[i], places[j]] = [places[j], byes[i]];
    return this.replace(byes[i], places[j], this.table(places, j, places[j]));
  }
}

// The formats: the next rounds, as lists of groups

export function roundRobin(draw) {
  const n = draw.players.length;
  if (draw.rounds !== null) {
    const before = range(draw.drawn).map(() => []), left = draw.rounds - draw.drawn;
    for (const { place, seats } of draw.rows) if (isFirst(place)) before[place[0] - 1].push(seats);
    return left > 0 ? listedRounds(new Design(n, draw.seats, left, draw.seed, before).run()) : [];
  }
  draw.paired = draw.done();
  const every = draw.seats === 2 ? berger(n) : firstFit(combined(range(n), draw.seats));
  const left = every.map((tables) => tables.filter((group) => draw.isNew(group))).filter((tables) => tables.length);
  return draw.seats === 2 ? left : listedRounds(left);
}

function cycle(draw) { // the next cycle of a round-robin with [until]: all its rounds
  const { drawn } = draw;
  Object.assign(draw, { drawn: 0, rows: [] });
  const rounds = roundRobin(draw), number = Math.floor(drawn / rounds.length) + 1, repeats = draw.games / draw.size;
  const games = Math.floor((draw.extra["until-games"] ?? Infinity) / (rounds.flat().length * draw.size));
  Object.assign(draw, { drawn, games: draw.size });
  if (number > Math.min(games, repeats)) return [];
  const [turned] = seatOrders(draw.seats, number);
  return rounds.map((tables) => tables.map((group) => turned.map((k) => group[k])));
}

function gauntlet(draw) {
  const names = new Map(draw.players.map(({ name }, number) => [name, number])), chosen = draw.extra.challengers;
  const challengers = chosen ? chosen.split(",").map((name) => names.get(name)) : [0];
  const field = range(draw.players.length).filter((n) => !challengers.includes(n));
  draw.paired = draw.done();
  if (draw.seats > 2) {
    const groups = combined(field, draw.seats - 1).flatMap((others) => challengers.map((one) => [one, ...others]));
    return firstFit(listed(groups.filter((group) => draw.isNew(group))));
  }
  const rounds = range(Math.max(challengers.length, field.length)).map(() => []);
  for (const [i, one] of challengers.entries()) {
    for (const [j, other] of field.entries()) {
      if (draw.isNew([one, other])) rounds[(i + j) % rounds.length].push((i + j) % 2 ? [other, one] : [one, other]);
    }
  }
  return rounds.filter((tables) => tables.length);
}

function knockout(draw) {
  const seeds = draw.seeded(), best = (tie) => sortedBy(tie, (n) => [seeds.indexOf(n)]);
  let [order, played, beaten] = [[0], 0, []];
  while (order.length < seeds.length) order = order.flatMap((top) => [top, 2 * order.length - 1 - top]);
  for (let slots = order.map((k) => seeds[k] ?? -1); slots.length > 1;) { // -1: a bye
    const ties = range(slots.length / 2).map((k) => [slots[2 * k], slots[2 * k + 1]]), winners = new Map();
    if (slots.length === 2 && beaten.length === 2 && draw.extra["third-place"]) ties.push(beaten);
    for (const [k, tie] of ties.entries()) if (tie.includes(-1)) winners.set(k, Math.max(...tie));
    for (let turn = 0; turn <= (draw.extra["extra-groups"] ?? draw.extraGroups); turn += 1) {
      let level = [...ties.keys()].filter((k) => !winners.has(k));
      for (const k of level) {
        const [a, b] = best(ties[k]), [one, two] = [a, b].map((n) => (draw.left.get(n) ?? played + 2) <= played + 1);
        if (one || two) winners.set(k, one && !two ? b : a);
      }
      level = level.filter((k) => !winners.has(k));
      if (!level.length) break;
      played += 1;
      if (played > draw.drawn) {
        if (turn) draw.games = draw.size;
        return [level.map((k) => (played % 2 ? best(ties[k]) : best(ties[k]).reverse()))];
      }
      const units = new Map();
      for (const { place, seats, units: scores } of draw.results) {
        if (place[0] === played) seats.forEach((number, k) => count(units, number, scores[k]));
      }
      for (const k of level) {
        const [a, b] = ties[k], ahead = counted(units, a) - counted(units, b);
        if (ahead) winners.set(k, ahead > 0 ? a : b);
      }
    }
    for (const [k, tie] of ties.entries()) if (!winners.has(k)) winners.set(k, best(tie)[0]);
    beaten = ties.flatMap(([a, b], k) => (a < 0 || b < 0 ? [] : [winners.get(k) === a ? b : a]));
    slots = range(slots.length / 2).map((k) => winners.get(k));
  }
  return [];
}

function solved(matrix, right) { // the matrix X with matrix X = right, by elimination (positive definite here)
  const n = matrix.length, rows = matrix.map((row, k) => [...row, ...right[k]]);
  for (let k = 0; k < n; k += 1) {
    const top = rows[k][k];
    rows[k] = rows[k].map((value) => value / top);
    for (let r = 0; r < n; r += 1) {
      const factor = rows[r][k];
      if (r !== k && factor) rows[r] = rows[r].map((value, c) => value - factor * rows[k][c]);
    }
  }
  return rows.map((row) => row.slice(n));
}

function strengths(draw) { // the most probable strengths in Elo, and their covariance
  const n = draw.players.length, rated = draw.extra.seeding === "rating";
  const square = (value) => range(n).map((a) => range(n).map((b) => value(a, b)));
  const games = square(() => 0), wins = square(() => 0);
  for (const { seats, ranks } of draw.results.filter((result) => result.ranks.length)) {
    for (const i of range(draw.seats)) {
      for (const j of range(draw.seats).filter((k) => k !== i)) {
        games[seats[i]][seats[j]] += 2 / draw.seats;
        wins[seats[i]][seats[j]] += (Number(ranks[i] < ranks[j]) + Number(ranks[i] <= ranks[j])) / draw.seats;
      }
    }
  }
  const prior = draw.players.map(({ rating }) => (rated ? rating ?? 0 : 0) / 100);
  const exact = draw.players.map(({ deviation }) => (100 / (rated && deviation !== undefined ? Math.max(deviation, 1) : 35000)) ** 2);
  for (let [mean, step] = [prior, 0]; ; step += 1) {
    const better = square((a, b) => 1 / (1 + Math.exp(SCALE * (mean[b] - mean[a]))));
    const slope = range(n).map((a) => SCALE * sum(range(n).map((b) => wins[a][b] - games[a][b] * better[a][b]))
      - exact[a] * (mean[a] - prior[a]));
    const weight = square((a, b) => SCALE ** 2 * games[a][b] * better[a][b] * (1 - better[a][b]));
    const curve = square((a, b) => (a === b ? sum(weight[a]) + exact[a] : 0) - weight[a][b]);
    const steps = solved(curve, slope.map((value) => [value])).map(([value]) => value);
    mean = mean.map((one, a) => one + Math.min(300, Math.max(-300, steps[a])));
    if (Math.max(...steps.map(Math.abs)) < 1e-7 || step === 59) {
      return [mean, solved(curve, square((a, b) => Number(a === b)))];
    }
  }
}

function adaptive(draw) {
  const present = range(draw.players.length).filter((n) => draw.present(n, draw.drawn + 1)), { seats } = draw;
  const limit = Math.min(draw.extra.budget ?? 2e6, draw.extra["until-games"] ?? 2e6);
  const pairings = Math.min(draw.extra.batch ?? 8, Math.floor((limit - draw.rows.length) / draw.games));
  if (present.length < seats || pairings < 1) return [];
  let [mean, cov] = strengths(draw);
  const n = mean.length, middle = sum(mean) / n, rating = mean.map((value) => Math.round(100 * (value - middle)));
  const row = cov.map((line) => sum(line) / n), target = draw.extra["target-sigma"] ?? -1;
  const sigma = cov.map((line, a) => Math.round(100 * Math.sqrt(Math.max(line[a] - 2 * row[a] + sum(row) / n, 0))));
  const unsure = new Set(present.filter((a) => sigma[a] > 100 * target));
  if (!unsure.size) return [];
  const played = new Map(), first = new Map();
  for (const { place, seats: group } of draw.rows) {
    for (const one of group) count(played, one);
    if (isFirst(place)) count(first, group[0]);
  }
  const known = (a, b) => {
    const better = 1 / (1 + 10 ** ((rating[b] - rating[a]) / 40000));
    return draw.games * 2 / seats * SCALE ** 2 * better * (1 - better);
  };
  const apart = (a, b) => cov[a][a] + cov[b][b] - 2 * cov[a][b];
  const gain = (a, b) => {
    const deviation = Math.round(100 * Math.sqrt(Math.max(apart(a, b), 0)));
    return Math.round(1e6 * Math.log1p(known(a, b) * (deviation / 100) ** 2));
  };
  const learn = (group) => {
    for (const [a, b] of pairsOf(group)) {
      const column = cov.map((line) => line[a] - line[b]), shrink = known(a, b) / (1 + known(a, b) * apart(a, b));
      cov = cov.map((line, x) => line.map((value, y) => value - shrink * column[x] * column[y]));
    }
  };
  draw.waiting.forEach(learn);
  return [range(pairings).map(() => {
    const pairs = pairsOf(present).filter(([a, b]) => unsure.has(a) || unsure.has(b));
    const group = [...sortedBy(pairs, ([a, b]) => [-gain(a, b), counted(played, a) + counted(played, b), a, b])[0]];
    while (group.length < seats) {
      const others = present.filter((one) => !group.includes(one));
      group.push(sortedBy(others, (one) => [-sum(group.map((a) => gain(one, a))), counted(played, one), one])[0]);
    }
    learn(group);
    for (const one of group) count(played, one, draw.games);
    const sorted = sortedBy(group, (one) => [counted(first, one), one]);
    count(first, sorted[0]);
    return sorted;
  })];
}

const FORMATS = { "round-robin": roundRobin, gauntlet, knockout, swiss, adaptive };

// The whole schedule

function rowsOf(draw) { // the rows of the next rounds
  const rounds = draw.until && draw.format === "round-robin" ? cycle(draw) : FORMATS[draw.format](draw), rows = [];
  for (const [r, tables] of rounds.entries()) {
    for (const [t, group] of tables.entries()) {
      for (const repeat of range(draw.games / draw.size + 1, counted(draw.paired, groupKey(group)) + 1)) {
        for (const [k, seating] of seatOrders(draw.seats, repeat).entries()) {
          rows.push({ place: [draw.drawn + 1 + r, t + 1, repeat, k + 1], seats: seating.map((seat) => group[seat]) });
        }
      }
    }
  }
  return rows;
}
const same = (one, other) => one.length === other.length
  && one.every((row, k) => !compared(row.place, other[k].place) && !compared(row.seats, other[k].seats));

// Whether the plan had fewer matches, which a later file may raise, when these rows were drawn.
function drawnForFewer(draw, rows, here) {
  if (draw.format === "adaptive") {
    return here.length > 0 && here.length % draw.games === 0 && same(rows.slice(0, here.length), here);
  }
  const high = here.reduce((most, { place }) => Math.max(most, place[2]), 0);
  const raisable = draw.format === "gauntlet" || (draw.format === "round-robin" && draw.rounds === null);
  return raisable && high > 0 && same(rows.filter(({ place }) => place[2] <= high), here);
}

// Whether rounds of a plan can be drawn here: some depend on the intervals of [until].
export const known = ({ format, extra }) => Object.hasOwn(FORMATS, format)
  && !(extra && format === "adaptive" && ["until-best", "until-top", "until-order"].some((key) => key in extra));

const text = (numbers) => `[${numbers.join(", ")}]`;

// The first difference of a tournament from what is drawn, or an empty text.
export function difference(head, matches) {
  const cup = head.tournament, last = matches.at(-1)?.place[0] ?? 0;
  for (let drawn = 0; ;) {
    let draw = new Draw(cup, matches, head.replaced ?? [], drawn);
    if (draw.open.length) {
      return drawn < last ? `round ${drawn + 1} is there, though ${text(draw.open[0].place)} has no result` : "";
    }
    let [rows, upto, { rounds }] = [rowsOf(draw), 0, draw];
    if (drawn >= last) return rows.length && head.complete === true && !draw.until ? `round ${drawn + 1} is missing` : "";
    if (!rows.length) return `round ${drawn + 1} is there, but none follows round ${drawn}`;
    for (;;) {
      upto = rows.reduce((most, { place }) => Math.max(most, place[0]), 0);
      const here = matches.filter(({ place }) => drawn < place[0] && place[0] <= upto);
      if (same(rows, here) || drawnForFewer(draw, rows, here)) break;
      if (draw.format !== "round-robin" || rounds === null || rounds <= drawn + 1) {
        const at = (list, place) => list.find((row) => !compared(row.place, place))?.seats ?? [];
        const places = sortedBy([...here, ...rows].map(({ place }) => place), (place) => place);
        const place = places.find((one) => compared(at(here, one), at(rows, one)));
        return `${text(place)} has the entrants ${text(at(here, place))}, but ${text(at(rows, place))} are drawn there`;
      }
      rounds -= 1; // a later file may have raised their number, on which the tables depend
      draw = new Draw(cup, matches, head.replaced ?? [], drawn);
      draw.rounds = rounds;
      const fewer = rowsOf(draw);
      rows = fewer.length ? fewer : rows;
    }
    drawn = upto;
  }
}
