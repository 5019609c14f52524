// Pairings of a Swiss, drawn again for check_schedule.mjs. Written from docs/reference/swiss.md alone.

export const range = (n, from = 0) => Array.from({ length: Math.max(0, n - from) }, (_, k) => from + k);
export const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
export const pairsOf = (items) => items.flatMap((a, k) => items.slice(k + 1).map((b) => [a, b]));
// Compares lists item by item, as the pages sort.
export const compared = (one, other) => {
  const k = range(Math.max(one.length, other.length)).find((at) => one[at] !== other[at]);
  return k === undefined ? 0 : one[k] === undefined || one[k] < other[k] ? -1 : 1;
};
export const sortedBy = (items, key) => [...items].sort((a, b) => compared(key(a), key(b)));
export const permuted = (items) => items.length < 2 ? [items]
  : items.flatMap((one) => permuted(items.filter((other) => other !== one)).map((rest) => [one, ...rest]));
export const counted = (counts, key) => counts.get(key) ?? 0;
export const count = (counts, key, more = 1) => counts.set(key, counted(counts, key) + more);
const U64 = (1n << 64n) - 1n;
const bits = (number) => number.toString(2).length * (number ? 1 : 0);
const most = (numbers) => numbers.reduce((one, other) => (one > other ? one : other), 0);

export function mixed(seed, a, b) {
  let z = (BigInt(seed) + ((BigInt(a) << 32n) + BigInt(b)) * 0x9E3779B97F4A7C15n) & U64;
  z = ((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n) & U64;
  z = ((z ^ (z >> 27n)) * 0x94D049BB133111EBn) & U64;
  return z ^ (z >> 31n);
}

// The heaviest matching of a graph of nodes 1 ... n, by Edmonds' blossoms: numbers above n are blossoms. An edge is
// [node, node, weight], with a weight of 0n where there is none. Duals are doubled, so all numbers are integers.
class Matching {
  constructor(n, edges) {
    const size = range(n + (n >> 1) + 2);
    Object.assign(this, { n, top: n, round: 0, queue: [] });
    this.edge = size.map((u) => size.map((v) => [u, v, 0n]));
    let high = 0n;
    for (const [a, b, weight] of edges) {
      [this.edge[a][b], this.edge[b][a]] = [[a, b, weight], [b, a, weight]];
      high = weight > high ? weight : high;
    }
    this.dual = size.map((u) => (u >= 1 && u <= n ? high : 0n));
    for (const name of ["mate", "slack", "before", "seen"]) this[name] = size.map(() => 0);
    this.root = size.map((u) => (u <= n ? u : 0)); // the outermost blossom of a node
    this.kind = size.map(() => -1); // 0 outer, 1 inner, -1 free
    this.inside = size.map(() => []);
    this.holds = size.map((u) => size.map((v) => (u === v && u <= n ? u : 0)));
    while (this.stage());
  }
  gap([u, v, weight]) { return this.dual[u] + this.dual[v] - 2n * weight; }
  nearer(u, x) {
    if (!this.slack[x] || this.gap(this.edge[u][x]) < this.gap(this.edge[this.slack[x]][x])) this.slack[x] = u;
  }
  near(x) {
    this.slack[x] = 0;
    for (let u = 1; u <= this.n; u += 1) {
      if (this.edge[u][x][2] && this.root[u] !== x && this.kind[this.root[u]] === 0) this.nearer(u, x);
    }
  }
  push(x) {
    if (x <= this.n) this.queue.push(x);
    this.inside[x].forEach((part) => this.push(part));
  }
  setRoot(x, b) {
    this.root[x] = b;
    this.inside[x].forEach((part) => this.setRoot(part, b));
  }
  even(b, part) {
    const parts = this.inside[b], at = parts.indexOf(part);
    if (at % 2 === 0) return at;
    this.inside[b] = [parts[0], ...parts.slice(1).reverse()];
    return parts.length - at;
  }
  join(u, v) {
    const [start, end] = this.edge[u][v];
    this.mate[u] = end;
    if (u <= this.n) return;
    const part = this.holds[u][start], at = this.even(u, part), parts = this.inside[u];
    for (let i = 0; i < at; i += 1) this.join(parts[i], parts[i ^ 1]);
    this.join(part, v);
    this.inside[u] = [...parts.slice(at), ...parts.slice(0, at)];
  }
  augment(one, other) {
    for (let [u, v] = [one, other]; ;) {
      const next = this.root[this.mate[u]];
      this.join(u, v);
      if (!next) return;
      this.join(next, this.root[this.before[next]]);
      [u, v] = [this.root[this.before[next]], next];
    }
  }
  meet(one, other) {
    this.round += 1;
    for (let [u, v] = [one, other]; u || v; [u, v] = [v, u]) {
      if (!u) continue;
      if (this.seen[u] === this.round) return u;
      this.seen[u] = this.round;
      u = this.root[this.mate[u]];
      u = u ? this.root[this.before[u]] : 0;
    }
    return 0;
  }
  shrink(u, top, v) {
    const b = range(this.top + 1, this.n + 1).find((k) => !this.root[k]) ?? this.top + 1;
    this.top = Math.max(this.top, b);
    let parts = [top];
    for (const end of [u, v]) {
      parts = [parts[0], ...parts.slice(1).reverse()];
      for (let x = end; x !== top;) {
        const y = this.root[this.mate[x]];
        parts.push(x, y);
        this.push(y);
        x = this.root[this.before[y]];
      }
    }
    [this.dual[b], this.kind[b], this.mate[b], this.inside[b]] = [0n, 0, this.mate[top], parts];
    this.setRoot(b, b);
    this.holds[b].fill(0);
    for (let x = 1; x <= this.top; x += 1) [this.edge[b][x], this.edge[x][b]] = [[b, x, 0n], [x, b, 0n]];
    for (const part of parts) {
      for (let x = 1; x <= this.top; x += 1) {
        const one = this.edge[part][x], old = this.edge[b][x];
        if (one[2] && (!old[2] || this.gap(one) < this.gap(old))) {
          [this.edge[b][x], this.edge[x][b]] = [one, this.edge[x][part]];
        }
      }
      for (let x = 1; x <= this.n; x += 1) if (this.holds[part][x]) this.holds[b][x] = part;
    }
    this.near(b);
  }
  expand(b) {
    this.inside[b].forEach((part) => this.setRoot(part, part));
    const first = this.holds[b][this.edge[b][this.before[b]][0]];
    const at = this.even(b, first), parts = this.inside[b];
    for (let i = 0; i < at; i += 2) {
      const [x, y] = [parts[i], parts[i + 1]];
      [this.before[x], this.kind[x], this.kind[y], this.slack[x]] = [this.edge[y][x][0], 1, 0, 0];
      this.near(y);
      this.push(y);
    }
    [this.kind[first], this.before[first]] = [1, this.before[b]];
    for (const x of parts.slice(at + 1)) { this.kind[x] = -1; this.near(x); }
    [this.root[b], this.inside[b]] = [0, []];
  }
  found([one, other]) {
    const [u, v] = [this.root[one], this.root[other]];
    if (this.kind[v] === -1) {
      [this.before[v], this.kind[v]] = [one, 1];
      const next = this.root[this.mate[v]];
      this.slack[v] = this.slack[next] = this.kind[next] = 0;
      this.push(next);
    } else if (this.kind[v] === 0) {
      const top = this.meet(u, v);
      if (!top) { this.augment(u, v); this.augment(v, u); return true; }
      this.shrink(u, top, v);
    }
    return false;
  }
  stage() {
    this.queue = [];
    for (let x = 1; x <= this.top; x += 1) [this.kind[x], this.slack[x]] = [-1, 0];
    for (let x = 1; x <= this.top; x += 1) {
      if (this.root[x] === x && !this.mate[x]) { [this.before[x], this.kind[x]] = [0, 0]; this.push(x); }
    }
    if (!this.queue.length) return false;
    for (;;) {
      while (this.queue.length) {
        const u = this.queue.shift();
        for (let v = 1; v <= this.n && this.kind[this.root[u]] !== 1; v += 1) {
          const edge = this.edge[u][v];
          if (!edge[2] || this.root[u] === this.root[v]) continue;
          if (this.gap(edge)) this.nearer(u, this.root[v]);
          else if (this.found(edge)) return true;
        }
      }
      if (!this.changeDuals()) return false;
      if (this.moveOn()) return true;
    }
  }
  outside() { return range(this.top + 1, 1).filter((x) => this.root[x] === x); }
  changeDuals() {
    const steps = [], free = [];
    for (const x of this.outside()) {
      if (x > this.n && this.kind[x] === 1) steps.push(this.dual[x] / 2n);
      const gap = this.slack[x] && this.kind[x] < 1 ? this.gap(this.edge[this.slack[x]][x]) : null;
      if (gap !== null) steps.push(this.kind[x] === 0 ? gap / 2n : gap);
    }
    for (let u = 1; u <= this.n; u += 1) if (this.kind[this.root[u]] === 0) free.push(this.dual[u]);
    const least = (numbers) => numbers.reduce((a, b) => (a < b ? a : b));
    const change = least([...steps, ...free]), ways = [-change, change];
    if (change >= least(free)) return false;
    for (let u = 1; u <= this.n; u += 1) this.dual[u] += ways[this.kind[this.root[u]]] ?? 0n;
    for (const b of this.outside()) if (b > this.n) this.dual[b] -= 2n * (ways[this.kind[b]] ?? 0n);
    return true;
  }
  moveOn() {
    for (const x of this.outside()) {
      const u = this.slack[x];
      const tight = this.root[x] === x && u && this.root[u] !== x && !this.gap(this.edge[u][x]);
      if (tight && this.found(this.edge[u][x])) return true;
    }
    for (let b = this.n + 1; b <= this.top; b += 1) {
      if (this.root[b] === b && this.kind[b] === 1 && !this.dual[b]) this.expand(b);
    }
    return false;
  }
}

function cheapest(n, edges, seed, noise) {
  const shift = BigInt(noise + bits(n));
  const weighed = edges.map(([a, b, cost]) => [a, b, (cost << shift) + (mixed(seed, a, b) >> BigInt(64 - noise))]);
  const high = weighed.reduce((one, [, , weight]) => (weight > one ? weight : one), 0n);
  const more = BigInt(n + 1) * (high + 1n); // so that the largest matchings are the heaviest
  const { mate } = new Matching(n, weighed.map(([a, b, weight]) => [a + 1, b + 1, more - weight]));
  return range(n).filter((a) => mate[a + 1] > a + 1).map((a) => [a, mate[a + 1] - 1]);
}

function cheapestByLevels(n, edges, seed) {
  const length = bits(n);
  let [used, weights] = [0, edges.map(() => 0n)];
  for (const level of edges.length ? range(edges[0][2].length) : []) {
    const high = range(n).map(() => 0);
    for (const [a, b, costs] of edges) for (const k of [a, b]) high[k] = Math.max(high[k], costs[level]);
    const more = bits(Math.floor(sum(high) / 2));
    if (used + more > 124 - 16 - length) break;
    used += more;
    weights = weights.map((weight, k) => (weight << BigInt(more)) + BigInt(edges[k][2][level]));
  }
  return cheapest(n, edges.map(([a, b], k) => [a, b, weights[k]]), seed, Math.min(40, 124 - used - length));
}

const NOTHING = [0, 0, 0, 0, 0, 0, 0];
const groupsOf = (n, score) => range(n).reduce((groups, k) => {
  if (k && score(k) === score(k - 1)) groups.at(-1).push(k); else groups.push([k]);
  return groups;
}, []);

class Floats { // the first step; the bye is the node after the last card
  constructor(cards, seed) {
    const n = cards.length + cards.length % 2, at = new Map(cards.map((card, k) => [card.number, k]));
    Object.assign(this, { seed, n, turn: { "-1": [], 1: [] }, alike: { "-1": [], 1: [] } });
    this.score = [...cards.map((card) => card.score), Math.min(...cards.map((card) => card.score)) - 1];
    this.met = cards.map((card) => new Set([...card.met.keys()].map((one) => at.get(one)).filter((k) => k !== undefined)));
    this.met.push(new Set());
    for (const [k, card] of n > cards.length ? cards.entries() : []) {
      if (card.byes.length) { this.met[k].add(cards.length); this.met[cards.length].add(k); }
    }
    this.balance = [...cards.map((card) => card.balance), 0];
    this.floated = [...cards.map((card) => card.floated), [0, 0]];
    this.groups = groupsOf(n, (k) => this.score[k]);
    this.group = this.groups.flatMap((members, g) => members.map(() => g));
    this.most = most(range(n).map((k) => this.met[k].size));
    for (const way of [-1, 1]) for (const members of this.groups) this.takeTurns(way, members);
  }
  takeTurns(way, members) {
    const ordered = way < 0 ? [...members].reverse() : members, counts = new Map();
    for (const [turn, k] of sortedBy(ordered, (one) => this.same(one, way)).entries()) {
      [this.turn[way][k], this.alike[way][k]] = [turn, counted(counts, this.balance[k])];
      count(counts, this.balance[k]);
    }
  }
  same(k, way) { return this.floated[k].map((value) => Number(value === way)); }
  cost(a, b) {
    const [down, up, x, y] = [this.same(a, -1), this.same(b, 1), this.balance[a], this.balance[b]];
    return [this.score[a] - this.score[b], (this.group[b] - this.group[a]) ** 2, down[0] + up[0], down[1] + up[1],
      x * y > 0 ? Math.min(Math.abs(x), Math.abs(y)) : 0, this.turn[-1][a], this.turn[1][b]];
  }
  chosen() {
    const widths = this.groups.slice(1).map((members, g) => this.score[this.groups[g][0]] - this.score[members[0]]);
    for (let f = 2; ;) {
      const large = range(this.groups.length).filter((g) => this.groups[g].length >= 2 * this.most + 2 + f);
      const pairs = this.choose(f, new Set(large));
      if (!pairs && !large.length) return this.repeating();
      let [needed, above] = [2 * f, 0];
      if (pairs) {
        let excess = sum(pairs.map(([a, b]) => this.score[a] - this.score[b]));
        for (const [g, width] of widths.entries()) {
          above += this.groups[g].length;
          excess -= width * (above % 2);
        }
        needed = 2 + 2 * Math.floor(excess / (widths.length ? Math.min(...widths) : 1));
        if (needed <= f) return pairs;
      }
      f = needed;
    }
  }
  choose(f, large) {
    const turns = this.most + f + 1, edges = [];
    const near = (k) => Math.min(this.alike[-1][k], this.alike[1][k]) < turns;
    const nodes = range(this.n).filter((k) => !large.has(this.group[k]) || near(k));
    const listed = this.groups.map((_, g) => range(nodes.length).filter((at) => this.group[nodes[at]] === g));
    const free = (a, b) => !this.met[nodes[a]].has(nodes[b]);
    let size = nodes.length;
    for (const [g, inside] of listed.entries()) {
      const places = (this.groups[g].length - inside.length) % 2 ? [...inside, size] : inside;
      size += places.length - inside.length;
      for (const [a, b] of pairsOf(places)) if (large.has(g) || free(a, b)) edges.push([a, b, NOTHING]);
      const below = range(listed.length, g + 1).find((h) => large.has(h)) ?? listed.length - 1;
      for (const b of listed.slice(g + 1, below + 1).flat()) {
        for (const a of inside) if (free(a, b)) edges.push([a, b, this.cost(nodes[a], nodes[b])]);
      }
    }
    const pairs = cheapestByLevels(size, edges, this.seed);
    if (2 * pairs.length < size) return null;
    const found = pairs.filter(([, b]) => b < nodes.length).map(([a, b]) => [nodes[a], nodes[b]]);
    return found.filter(([a, b]) => this.group[a] !== this.group[b]);
  }
  repeating() {
    const across = (a, b) => this.group[a] !== this.group[b], again = (a, b) => this.met[a].has(b);
    const edges = pairsOf(range(this.n)).map(([a, b]) => [a, b, [Number(again(a, b)), ...(across(a, b) ? this.cost(a, b) : NOTHING)]]);
    return cheapestByLevels(this.n, edges, this.seed).filter(([a, b]) => across(a, b) || again(a, b));
  }
}

function within(group, seed) {
  const n = group.length, half = n / 2;
  const middle = group.map((card) => card.balance).sort((a, b) => a - b)[half];
  const cost = (a, b) => {
    const [x, y] = [group[a].balance, group[b].balance];
    const uneven = Math.abs(x - middle) + Math.abs(y - middle) - Math.abs(x - y);
    return uneven * (Math.floor(n ** 3 / 8) + 1) + (b - a - half) ** 2;
  };
  const free = (a, b) => !group[a].met.has(group[b].number);
  const folded = range(half).map((k) => [k, k + half]);
  if (folded.every(([a, b]) => free(a, b) && !cost(a, b))) return folded;
  for (let near = n <= 500 ? n : 60; ; near *= 3) {
    const allowed = pairsOf(range(n)).filter(([a, b]) => Math.abs(b - a - half) <= near && free(a, b));
    const pairs = cheapest(n, allowed.map(([a, b]) => [a, b, BigInt(cost(a, b))]), seed, 40);
    if (2 * pairs.length === n || near >= n) return pairs;
  }
}

// The pairs of a round by the cards' places in the list; the number after the last is the bye.
export function pairsOfRound(cards, seed) {
  const pairs = new Floats(cards, seed).chosen(), gone = new Set(pairs.flat());
  for (const group of groupsOf(cards.length, (k) => cards[k].score)) {
    const left = group.filter((k) => !gone.has(k));
    pairs.push(...within(left.map((k) => cards[k]), seed).map(([a, b]) => [left[a], left[b]]));
  }
  return sortedBy(pairs, (pair) => pair);
}

function tablesOfTwo(cards, seed) {
  const pairs = pairsOfRound(cards, seed).filter(([, b]) => b < cards.length).map(([a, b]) => [cards[a], cards[b]]);
  return sortedBy(pairs, ([a, b]) => [-a.score, -b.score, a.rank]).map(([a, b], t) => {
    const first = compared([a.balance, a.last, t % 2], [b.balance, b.last, 1 - t % 2]) < 0;
    return first ? [a.number, b.number] : [b.number, a.number];
  });
}

// The tables of more seats; `worth` is g W.
export function pods(cards, seats, worth) {
  const rests = sortedBy(cards, (card) => [card.byes.length, card.byes.at(-1) ?? 0, card.score, -card.rank]);
  const resting = new Set(rests.slice(0, cards.length % seats)), playing = cards.filter((card) => !resting.has(card));
  const tables = range(playing.length / seats).map((k) => playing.slice(k * seats, (k + 1) * seats));
  const cost = (card, others) => sum(others.map((other) => (worth * counted(card.met, other.number)) ** 2
    + (card.score - other.score) ** 2));
  const improved = (one, other) => {
    for (const i of range(seats)) {
      for (const j of range(seats)) {
        const [a, b, ours, theirs] = [one[i], other[j], one.filter((_, k) => k !== i), other.filter((_, k) => k !== j)];
        if (cost(b, ours) + cost(a, theirs) < cost(a, ours) + cost(b, theirs)) {
          [one[i], other[j]] = [b, a];
          return true;
        }
      }
    }
    return false;
  };
  for (let looked = new Set(tables), changed; looked.size; looked = changed) {
    changed = new Set();
    for (const [k, one] of tables.entries()) {
      for (const other of tables.slice(k + 1, k + 4)) {
        if (!(looked.has(one) || looked.has(other)) || !improved(one, other)) continue;
        while (improved(one, other));
        changed.add(one).add(other);
      }
    }
  }
  const sorted = tables.map((table) => sortedBy(table, (card) => [-card.score, card.rank]));
  const turns = (order) => sum(order.map((card, place) => 2 * counted(card.places, place) + 1));
  return sortedBy(sorted, (table) => [...table.map((card) => -card.score), table[0].rank])
    .map((table) => permuted(table).reduce((best, order) => (turns(order) < turns(best) ? order : best)))
    .map((table) => table.map((card) => card.number));
}

// The cards of those present, from the rows and results that a draw of check_schedule.mjs sees.
function cardsOf(draw) {
  const rows = new Map(), units = new Map(), before = new Map(), rounds = range(draw.drawn + 1, 1);
  for (const { place: [round, , repeat, order], seats } of draw.rows) {
    for (const number of repeat === 1 && order === 1 ? seats : []) rows.set(`${number} ${round}`, seats);
  }
  for (const { place: [round], seats, units: scores } of draw.results) {
    seats.forEach((number, k) => count(units, `${number} ${round}`, scores[k]));
  }
  for (const number of draw.players.keys()) {
    for (const round of rounds) {
      const at = `${number} ${round}`, bye = !rows.has(at) && draw.present(number, round) ? draw.bye : 0;
      before.set(`${number} ${round + 1}`, counted(before, at) + counted(units, at) + bye);
    }
  }
  const cards = draw.seeded().map((number, rank) => {
    const card = { number, rank, score: counted(before, `${number} ${draw.drawn + 1}`), met: new Map(), places: new Map(),
      byes: [], floated: [0, 0], balance: 0, last: 0 };
    for (const round of rounds) {
      const seats = rows.get(`${number} ${round}`);
      let way = 0;
      if (seats) {
        const place = seats.indexOf(number), other = place ? seats[0] : seats[1];
        for (const one of seats) if (one !== number) count(card.met, one);
        count(card.places, place);
        card.last = 1 - 2 * place;
        card.balance += card.last;
        way = Math.sign(counted(before, `${other} ${round}`) - counted(before, `${number} ${round}`));
      } else if (draw.present(number, round)) {
        card.byes.push(round);
        way = -1;
      }
      card.floated = [way, card.floated[0]];
    }
    return card;
  });
  return sortedBy(cards.filter((card) => draw.present(card.number, draw.drawn + 1)), (card) => [-card.score, card.rank]);
}

// The next round, if there is one.
export function swiss(draw) {
  const cards = cardsOf(draw);
  if (draw.drawn >= (draw.rounds ?? 0) || cards.length < draw.seats) return [];
  return [draw.seats === 2 ? tablesOfTwo(cards, draw.derive("swiss", draw.drawn + 1)) : pods(cards, draw.seats, draw.games * draw.win)];
}
