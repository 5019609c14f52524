// Heron plays Sage Stones by rules of its own: for each square that it may take it plays many games a few actions
// on, and takes the square after which it stands best.
//
// In these games everybody takes a square that captures most, else one at random. The dice are drawn from the seed
// of the line `game`, so the same match gives the same game again, and they are the same for each square, so that
// only the squares make a difference. `--playouts=N` sets the games for a square.
"use strict";

const COLUMNS = 7, ROWS = 9, WIPED = 3, LAST_ROLL = 500; // column 6 has the index 3
const AHEAD = 12; // actions and rolls of a playout
const DONE = 1000; // the worth of a colour that has placed its last stone, less 100 for each that was earlier
const DIRECTIONS = [[0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]];

// The columns by a throw of 0 to 26, and whether another turn follows; -1 loses the turn.
const THROWS = [];
for (let a = 1; a <= 3; a++)
  for (let b = 1; b <= 3; b++)
    for (let c = 1; c <= 3; c++) {
      const different = a !== b && b !== c && a !== c;
      THROWS.push({ column: different ? -1 : a + b + c - 3, again: a === b && b === c });
    }

/** Draws whole numbers; the generator is xorshift32. */
class Draw {
  constructor(seed) {
    this.state = Number(BigInt(seed) % 4294967291n) + 1;
  }

  below(count) {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x >>> 0;
    return Math.floor((this.state / 4294967296) * count);
  }
}

/** A position: `board` has a colour or 0 for each square, column by column. Colours count from 1. */
class Position {
  constructor(seats, stones, playOn, single) {
    this.seats = seats;
    this.stones = stones;
    this.playOn = playOn;
    this.colours = seats === 2 && !single ? 4 : seats; // `single`: each of two seats has one colour
    this.board = new Uint8Array(COLUMNS * ROWS);
    this.hands = new Uint8Array(this.colours + 1).fill(stones);
    this.ranks = new Uint8Array(this.colours + 1); // of colours that are done
    this.finished = 0;
    this.colour = 1;
    this.column = -1; // to be placed in; -1: the dice are next
    this.again = false;
    this.rolls = 0;
    this.over = false;
  }

  copy() {
    const other = Object.create(Position.prototype);
    Object.assign(other, this);
    other.board = this.board.slice();
    other.hands = this.hands.slice();
    other.ranks = this.ranks.slice();
    return other;
  }

  owner(colour) {
    return ((colour - 1) % this.seats) + 1;
  }

  next() {
    this.column = -1;
    if (this.rolls >= LAST_ROLL) {
      this.over = true;
      return;
    }
    do this.colour = (this.colour % this.colours) + 1;
    while (this.ranks[this.colour]);
  }

  full(column) {
    for (let square = column * ROWS; square < (column + 1) * ROWS; square++)
      if (!this.board[square]) return false;
    return true;
  }

  lift(square) {
    const colour = this.board[square];
    if (colour && !this.ranks[colour]) this.hands[colour]++;
    this.board[square] = 0;
  }

  /** Roll: a column, or -1 for three different faces; `again` for a triple. */
  roll(column, again) {
    this.rolls++;
    if (column < 0) {
      this.next();
    } else if (!this.full(column)) {
      this.column = column;
      this.again = again;
    } else if (!this.full(WIPED)) {
      this.column = WIPED;
      this.again = false;
    } else {
      for (let square = 0; square < this.board.length; square++) this.lift(square);
      // The game starts over: the first colour that is not done is next.
      if (this.rolls < LAST_ROLL) this.colour = this.colours;
      this.next();
    }
  }

  /** The squares that a stone of a colour on `square` captures, added to `found`; returns their number. */
  captured(square, colour, found) {
    const column = Math.floor(square / ROWS), row = square % ROWS;
    let count = 0;
    for (const [dc, dr] of DIRECTIONS) {
      let c = column, r = row, length = 0;
      for (;;) {
        c += dc;
        r += dr;
        if (dc === 0) r = (r + ROWS) % ROWS; // a column is a ring
        const inside = c >= 0 && c < COLUMNS && r >= 0 && r < ROWS;
        const there = inside && !(c === column && r === row) ? this.board[c * ROWS + r] : 0;
        if (!there) {
          length = 0;
          break;
        }
        if (there === colour) break;
        length++;
      }
      count += length;
      for (let k = 1; found && k <= length; k++)
        found.push((column + dc * k) * ROWS + (dc === 0 ? (row + dr * k + ROWS) % ROWS : row + dr * k));
    }
    return count;
  }

  place(square) {
    const colour = this.colour;
    this.board[square] = colour;
    this.hands[colour]--;
    if (this.hands[colour] === 0) {
      this.ranks[colour] = ++this.finished;
      this.over = !this.playOn || this.finished === this.colours - 1;
      if (!this.over) this.next();
      return;
    }
    const taken = [];
    this.captured(square, colour, taken);
    for (const one of taken) this.lift(one);
    if (this.again && this.rolls < LAST_ROLL) this.column = -1;
    else this.next();
  }

  squares() {
    const found = [];
    for (let square = this.column * ROWS; square < (this.column + 1) * ROWS; square++)
      if (!this.board[square]) found.push(square);
    return found;
  }

  /** What the position is worth to a seat: its best colour against the best of the others', late stones most. */
  worth(seat) {
    let mine = 0, theirs = 0, sum = 0;
    for (let colour = 1; colour <= this.colours; colour++) {
      const laid = this.stones - this.hands[colour];
      const value = this.ranks[colour] ? DONE - 100 * this.ranks[colour] : laid * laid;
      if (this.owner(colour) === seat) {
        mine = Math.max(mine, value);
        sum += value;
      } else {
        theirs = Math.max(theirs, value);
        sum -= value;
      }
    }
    return 16 * (mine - theirs) + sum;
  }
}

/** Play a game some actions on; return what it is worth then. */
function playout(position, seat, draw) {
  for (let actions = 0; !position.over && actions < AHEAD; actions++) {
    if (position.column < 0) {
      const thrown = THROWS[draw.below(27)];
      position.roll(thrown.column, thrown.again);
      continue;
    }
    const squares = position.squares();
    let chosen = squares[draw.below(squares.length)], most = 0;
    for (const square of squares) {
      const count = position.captured(square, position.colour, null);
      if (count > most) {
        most = count;
        chosen = square;
      }
    }
    position.place(chosen);
  }
  return position.worth(seat);
}

/** Return the best square, and its mean worth after the playouts. */
function choose(position, seat, draw, playouts) {
  let best = -Infinity, chosen = -1;
  const dice = draw.state;
  for (const square of position.squares()) {
    let points = 0;
    draw.state = dice;
    for (let k = 0; k < playouts; k++) {
      const after = position.copy();
      after.place(square);
      points += playout(after, seat, draw);
    }
    if (points > best) {
      best = points;
      chosen = square;
    }
  }
  return [chosen, Math.round(best / playouts)];
}

const given = process.argv.find((word) => word.startsWith("--playouts="));
const playouts = given ? Math.max(1, parseInt(given.slice(11), 10) || 1) : 200;
let position = null, seat = 1, draw = new Draw(1);

function answer(line) {
  const [word, ...rest] = line.split(" ");
  if (word === "tourney") return "bot name=heron version=1.2\n";
  if (word === "game") {
    if (rest[0] !== "sage-stones") {
      process.stderr.write("heron plays sage-stones and nothing else\n");
      process.exit(1);
    }
    const settings = new Map(rest.slice(1).map((setting) => setting.split("=")));
    seat = Number(settings.get("seat"));
    draw = new Draw(settings.get("seed"));
    position = new Position(
      Number(settings.get("seats")), Number(settings.get("stones") || 10), settings.get("play-on") === "yes",
      settings.get("colours") === "1");
    return "ready\n";
  }
  if (word === "play") {
    const action = rest[1];
    if (action.startsWith("roll-")) {
      const faces = [...action.slice(5)].map(Number);
      const [a, b, c] = faces;
      const different = a !== b && b !== c && a !== c;
      position.roll(different ? -1 : a + b + c - 3, a === b && b === c);
    } else {
      position.place((Number(action[0]) - 3) * ROWS + action.charCodeAt(1) - 97);
    }
  }
  if (word === "go") {
    const [square, score] = choose(position, seat, draw, playouts);
    const name = `${3 + Math.floor(square / ROWS)}${String.fromCharCode(97 + (square % ROWS))}`;
    return `info score=${score} playouts=${playouts * position.squares().length}\nmove ${name}\n`;
  }
  return "";
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "quit") process.exit(0);
  const text = answer(line);
  if (text) process.stdout.write(text);
});
