/* A match's cockpit: steps through the actions and shows beside the board what is known of each. It knows nothing
   about games: the board is TourneyBoard's (board.js). For the page's data, see tourney/report/pages/match.py.

   Texts of bots are only ever set as text. The address has the form #ply=12&flip&view=1&compare=7. */
(function () {
  "use strict";

  const data = JSON.parse(document.getElementById("replay-data").textContent);
  const inList = listed();
  const actions = data.actions ? data.actions.split(" ") : inList;
  /* The actions as the game writes them. */
  const written = data.shown === true ? inList : data.shown || actions;
  const cycle = data.actors.split(data.seats.length < 10 ? "" : " ").map(Number);
  const actors = actions.map(function (_, k) {
    return cycle[k % cycle.length];
  });
  const times = integers(data.times || "").map(function (time) {
    return time === null ? null : time / 1000;
  });
  const fates = data.fates || [];
  const seats = data.seats.map(function (_, k) {
    return k + 1;
  });
  const last = actions.length;
  const svg = document.getElementById("board");
  /* Where a part of the report was not copied, the page keeps the last board, as it does without scripts. */
  const whole = window.TourneyBoard && window.TourneyGame;
  const board = data.board && whole ? window.TourneyBoard(svg, data.board, actions) : null;
  const stage = document.getElementById("stage") || document.getElementById("panel");
  const cockpit = document.getElementById("replay");
  const moves = document.getElementById("moves");
  const said = document.getElementById("board-said");
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const solo = /(^|[#&])solo(&|$)/.test(location.hash) && window.parent !== window;
  let ply = last;
  let timer = null;
  let resting = null;
  let compared = 0;

  /* ---- data ---- */

  /* The actions of the list as it is without scripts: without names of seats, notes and brackets. */
  function listed() {
    const rounds = Array.from(document.getElementById("moves").children, function (item) {
      return item.textContent;
    });
    const words = rounds.join(" ").replace(/[^ ]+:(?= )|\([a-z]+\)|[[\];]/g, " ");
    return words.split(" ").filter(Boolean);
  }

  /* The integers of a code, null for a blank: see tourney/report/replays/codes.py. */
  function integers(code) {
    const found = [];
    let size = 0;
    for (const letter of code) {
      let digit = letter.charCodeAt(0) - 33;
      "\"&'<>\\".split("").forEach(function (left) {
        if (letter > left) digit--;
      });
      if (digit >= 44) {
        size = size * 44 + digit - 44;
      } else if (digit >= 0) {
        size = size * 44 + digit;
        found.push(size % 2 ? -(size + 1) / 2 : size / 2);
        size = 0;
      } else {
        found.push(null);
      }
    }
    return found;
  }

  function steps(code) {
    let before = 0;
    return integers(code).map(function (step) {
      if (step !== null) before += step;
      return step === null ? null : before;
    });
  }

  /* ---- elements ---- */

  const svgNamespace = "http://www.w3.org/2000/svg";

  function make(tag, attributes) {
    const element = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (name) {
      if (attributes[name] !== undefined) element.setAttribute(name, attributes[name]);
    });
    Array.prototype.slice.call(arguments, 2).forEach(function (child) {
      element.append(child);
    });
    return element;
  }

  function isolated(text) {
    return make("bdi", {}, text);
  }

  function icon() {
    const drawn = document.createElementNS(svgNamespace, "svg");
    drawn.setAttribute("viewBox", "0 0 20 20");
    drawn.setAttribute("aria-hidden", "true");
    Array.prototype.forEach.call(arguments, function (outline, k) {
      const path = document.createElementNS(svgNamespace, "path");
      path.setAttribute("d", outline);
      path.setAttribute("class", k ? "off" : "on");
      drawn.append(path);
    });
    return drawn;
  }

  function chip(seat) {
    const name = data.seats[seat - 1];
    return make("i", { class: "c c-" + name[1] + " c-at-" + (((seat - 1) % 4) + 1), role: "img", title: name[0], "aria-label": name[0] });
  }

  function kept(name) {
    try {
      return localStorage.getItem("tourney-" + name);
    } catch (error) {
      return null;
    }
  }

  function keep(name, value) {
    try {
      localStorage.setItem("tourney-" + name, value);
    } catch (error) {
      /* Without storage, the choice lasts as long as the page. */
    }
  }

  /* ---- numbers and texts ---- */

  function grouped(value) {
    if (typeof value !== "number") return value;
    const parts = String(value).split(".");
    if (/e/.test(parts[0])) return String(value).replace("-", "\u2212");
    parts[0] = parts[0].replace("-", "\u2212").replace(/\B(?=(\d{3})+$)/g, ",");
    return parts.join(".");
  }

  function milliseconds(value) {
    if (value >= 10000) return (value / 1000).toFixed(1) + " s";
    return value.toFixed(value >= 100 ? 0 : value >= 1 ? 1 : 2) + " ms";
  }

  function clockText(value) {
    const sign = value < 0 ? "\u2212" : "";
    const tenths = Math.floor(Math.abs(value) / 100);
    const seconds = Math.floor(tenths / 10);
    const two = function (number) {
      return (number < 10 ? "0" : "") + number;
    };
    if (seconds >= 3600) return sign + Math.floor(seconds / 3600) + ":" + two(Math.floor(seconds / 60) % 60) + ":" + two(seconds % 60);
    return sign + Math.floor(seconds / 60) + ":" + two(seconds % 60) + "." + (tenths % 10);
  }

  function seatName(seat) {
    return data.seats[seat - 1][0];
  }

  function botName(seat) {
    return document.querySelector('.players [data-seat="' + seat + '"] .who').textContent;
  }

  function noteOf(at) {
    const actor = actors[at - 1];
    if (!actor) return "chance";
    if (at <= data.opening) return "opening";
    const left = fates.find(function (fate) {
      return fate[0] === actor;
    });
    return left && left[1] < at ? "substitute" : "";
  }

  /* ---- clocks: of all seats by ply, null where they are not known ---- */

  const limits = data.limits;
  const unsure = data.waited >= 100;
  const clocks = data.clocks ? [seats.map(function () { return limits["clock-ms"]; })] : null;
  if (clocks) {
    steps(data.clocks).forEach(function (left, k) {
      const after = clocks[k].slice();
      if (left !== null) after[actors[k] - 1] = left;
      clocks.push(after);
    });
  }

  /* As display.time_limit of tourney/report writes it. */
  function limitText(ms) {
    if (ms && ms % 60000 === 0) return ms / 60000 + " min";
    return ms && ms % 1000 === 0 ? ms / 1000 + " s" : ms + " ms";
  }

  function clockNote() {
    if (limits["clock-ms"] === undefined) {
      return limits["move-ms"] === undefined ? "" : "Limit per action: " + limitText(limits["move-ms"]) + ".";
    }
    const limit = "Clock: " + clockText(limits["clock-ms"]) + (limits["increment-ms"] ? " + " + limitText(limits["increment-ms"]) + " per action" : "");
    if (limits.charge && limits.charge !== "wall") return limit + ", charged by " + (limits.charge === "cpu" ? "processor time" : limits.charge) + ", which is not stored by action.";
    if (!times.length) return limit + "; this report has no measured times.";
    return limit + (unsure ? ". Clocks are lower bounds: a bot was not charged up to " + milliseconds(data.waited) + " in which it waited for a processor." : ".");
  }

  /* ---- what the bots printed ---- */

  const info = {};
  Object.keys(data.info || {}).forEach(function (seat) {
    const own = data.info[seat];
    const keys = Object.keys(own.of);
    const columns = keys.map(function (key) {
      const column = own.of[key];
      if (column === null || typeof column !== "object" || Array.isArray(column)) return column;
      const digits = Object.keys(column)[0];
      return steps(column[digits]).map(function (value) {
        return value === null ? null : value / Math.pow(10, digits);
      });
    });
    const plies = own.every
      ? Array.from({ length: own.every[2] }, function (_, k) {
          return own.every[0] + k * own.every[1];
        })
      : steps(own.at);
    info[seat] = plies.map(function (at, k) {
      return {
        ply: at,
        values: keys
          .map(function (key, n) {
            return [key, Array.isArray(columns[n]) ? columns[n][k] : columns[n]];
          })
          .filter(function (pair) {
            return pair[1] !== null;
          }),
      };
    });
  });

  /* The latest info of a seat; at the end also what a bot printed for an action that it did not play. */
  function infoAt(seat, at) {
    const limit = at >= last ? Infinity : at;
    const list = info[seat] || [];
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].ply <= limit) low = middle + 1;
      else high = middle;
    }
    return low ? list[low - 1] : null;
  }

  const cards = seats.map(function (seat) {
    const item = document.querySelector('.players [data-seat="' + seat + '"]');
    const clock = make("span", { class: "clock" });
    const taken = make("span", { class: "taken" });
    const think = make("span", { class: "think hush" });
    const facts = make("dl", { class: "info" });
    const line = make("p", { class: "pv" }, "");
    item.querySelector(".result").before(taken);
    if (times.length || clocks) taken.after(think, clock);
    /* What the bots printed stands in the panel, with a place for each seat that printed something. */
    if (info[seat]) document.getElementById("panel").append(make("div", { class: "said", "data-of": seat }, make("p", { class: "of" }, chip(seat), " ", isolated(botName(seat))), facts, line));
    return { item: item, taken: taken, clock: clock, think: think, facts: facts, line: line };
  });

  /* The lines below the board; one that begins with a seat's name is of that seat, and stands in its strip. */
  function showNotes(lines) {
    notes.textContent = "";
    cards.forEach(function (card) { card.taken.textContent = ""; });
    lines.forEach(function (line) {
      const at = seats.findIndex(function (seat) { return line.startsWith(seatName(seat) + ": "); });
      if (at < 0) notes.append(make("li", {}, isolated(line)));
      else cards[at].taken.textContent = line.slice(seatName(at + 1).length + 2);
    });
  }

  /* With two seats, scores have one point of view: the first seat's. */
  function fromFirst(seat, value) {
    return seats.length === 2 && seat === 2 && typeof value === "number" ? -value || 0 : value;
  }

  function showCard(card, seat, at) {
    /* The mover: the seat that acts next, at the end the one that acted last. */
    let next = at;
    while (next < last && !actors[next]) next++;
    card.item.classList.toggle("acting", actors[next < last ? next : last - 1] === seat);
    if (clocks) card.clock.textContent = (unsure ? "\u2265 " : "") + clockText(clocks[at][seat - 1]);
    let played = at;
    while (played > 0 && !(actors[played - 1] === seat && typeof times[played - 1] === "number")) played--;
    const earlier = played && played !== at ? " for action " + played : "";
    /* The strips of four seats are narrow: the name stays whole, and the rest is a tooltip. */
    card.think.textContent = played ? milliseconds(times[played - 1]) + (seats.length > 2 ? "" : earlier) : "";
    card.think.title = earlier.trim();
    const found = infoAt(seat, at);
    card.facts.textContent = "";
    card.line.textContent = "";
    if (!found) return;
    const old = found.ply !== at;
    card.facts.classList.toggle("hush", old);
    card.line.classList.toggle("hush", old);
    const mate = found.values.find(function (pair) {
      return pair[0] === "mate" && typeof pair[1] === "number";
    });
    found.values.forEach(function (own) {
      if (own === mate) return;
      const pair = own[0] === "score" ? [own[0], fromFirst(seat, own[1])] : own;
      if (own[0] === "score" && mate) {
        card.facts.append(make("div", {}, make("dt", {}, "score"), make("dd", {}, "#" + grouped(fromFirst(seat, mate[1])))));
      } else if (typeof pair[1] === "number") {
        card.facts.append(make("div", {}, make("dt", {}, pair[0]), make("dd", {}, grouped(pair[1]))));
      } else {
        card.line.append(make("span", {}, pair[0] ? pair[0] + " " : "", make("bdi", { title: pair[1] }, pair[1])), " ");
      }
    });
    if (old && found.values.length) card.facts.append(make("div", {}, make("dt", {}, "action"), make("dd", {}, String(found.ply))));
  }

  /* ---- the list of actions: a line a round, a block a turn; one stop of the tab key ---- */

  function rounds() {
    const found = [];
    let round = null;
    let turn = null;
    let drawn = [];
    actors.forEach(function (seat, k) {
      if (!seat) {
        drawn.push(k + 1);
        return;
      }
      /* With two seats the first one begins a line, as on a score sheet. */
      const again = round && round.some(function (each) {
        return each.seat === seat || (seats.length === 2 && each.seat > seat);
      });
      if (!turn || turn.seat !== seat) {
        if (!round || again) {
          round = [];
          found.push(round);
        }
        turn = { seat: seat, plies: [] };
        round.push(turn);
      }
      turn.plies = turn.plies.concat(drawn, k + 1);
      drawn = [];
    });
    if (drawn.length) found.push([{ seat: 0, plies: drawn }]);
    return found;
  }

  const links = [];
  const short = { opening: "op", substitute: "sub" };

  function link(at) {
    const note = at ? noteOf(at) : "";
    const element = make("a", { href: "#ply=" + at, "data-ply": at, class: note || undefined, tabindex: -1, title: at && written[at - 1] !== actions[at - 1] ? actions[at - 1] : undefined });
    if (note === "chance") element.append(make("i", { class: "die", role: "img", "aria-label": "chance", title: "chance" }, "\u2684"), " ");
    element.append(make("span", {}, at ? written[at - 1] : "start"));
    if (short[note]) element.append(" ", make("abbr", { title: note }, short[note]));
    links[at] = element;
    return element;
  }

  function fault(fate) {
    return make("li", { class: "fate" }, chip(fate[0]), " ", make("span", { class: "fault" }, seatName(fate[0]) + ": " + fate[2]));
  }

  (function () {
    const two = seats.length === 2;
    moves.textContent = "";
    moves.removeAttribute("tabindex");
    moves.classList.add(two ? "two" : "many");
    moves.append(make("li", {}, make("b", {}, "0"), make("span", { class: "turn" }, link(0))));
    const left = fates.slice();
    rounds().forEach(function (round, k) {
      const item = make("li", {}, make("b", {}, String(k + 1)));
      round.forEach(function (turn) {
        const block = make("span", { class: turn.plies.length === 1 ? "turn one" : "turn", "data-seat": turn.seat });
        if (turn.seat) block.append(chip(turn.seat));
        let spent = 0;
        turn.plies.forEach(function (at) {
          block.append(link(at), " ");
          spent += times[at - 1] || 0;
        });
        if (spent) block.append(make("small", {}, milliseconds(spent)));
        item.append(block);
      });
      moves.append(item);
      const end = round[round.length - 1].plies.slice(-1)[0];
      while (left.length && left[0][1] <= end) moves.append(fault(left.shift()));
    });
    left.forEach(function (fate) {
      moves.append(fault(fate));
    });
  })();

  /* ---- controls ---- */

  const outlines = {
    first: ["M4 4h2.4v12H4zM16 4v12L7.5 10z"],
    back: ["M14 4v12L5 10z"],
    play: ["M5 3.5v13L16.5 10z", "M5 4h3.6v12H5zM11.4 4H15v12h-3.6z"],
    next: ["M6 4v12l9-6z"],
    turnback: ["M10.5 4v12L3 10z", "M18 4v12l-7.5-6z"],
    turnnext: ["M9.5 4v12l7.5-6z", "M2 4v12l7.5-6z"],
    last: ["M13.6 4H16v12h-2.4zM4 4v12l8.5-6z"],
  };

  function button(where, label, title) {
    return make("button", { type: "button", "data-go": where, title: title, "aria-label": label }, icon.apply(null, outlines[where]));
  }

  const play = button("play", "Play", "Play or pause (space)");
  play.id = "play";
  const speed = make("select", { id: "speed", "aria-label": "Speed" });
  [0.5, 1, 2, 4, 8].forEach(function (value) {
    speed.append(make("option", { value: value }, (value === 0.5 ? "\u00bd" : value) + "\u00d7"));
  });
  speed.value = "1";
  const slider = make("input", { type: "range", id: "slider", min: 0, max: last, value: last, "aria-label": "Action" });
  const now = make("p", { class: "now", id: "now", "aria-live": "polite" });
  const trouble = make("p", { class: "warning", id: "trouble", role: "status", hidden: "" });
  const drawn = make("p", { class: "drawn", id: "drawn" });
  const tools = make("p", { class: "tools", role: "group", "aria-label": "View" });
  /* Where turns have several actions, there are buttons for whole turns. */
  const long = actors.some(function (seat, k) {
    return k > data.opening && seat && seat === actors[k - 1];
  });
  const buttons = make(
    "div",
    { class: "buttons", role: "group", "aria-label": "Replay" },
    button("first", "To the start", "Start (Home)"),
    ...(long ? [button("turnback", "One turn back", "One turn back (shift and left arrow)")] : []),
    button("back", "One action back", "Back (left arrow)"),
    play,
    button("next", "One action forward", "Forward (right arrow)"),
    ...(long ? [button("turnnext", "One turn forward", "One turn forward (shift and right arrow)")] : []),
    button("last", "To the end", "End (End)"),
    speed
  );
  const controls = make("div", { class: "controls", id: "controls" }, slider, buttons, now);
  const near = document.querySelector(".strip.near");
  if (near) near.after(controls);
  else if (svg) svg.after(controls);
  else stage.prepend(controls);
  controls.after(tools);
  controls.prepend(trouble);

  function tool(id, label, title, act) {
    const made = make("button", { type: "button", id: id, title: title }, label);
    made.addEventListener("click", act);
    tools.append(made);
    return made;
  }

  /* ---- the board in words, flipped, as one seat saw it, with letters ---- */

  const words = make("pre", { id: "board-text", tabindex: "0", role: "region", "aria-label": "Board as text", hidden: "" });
  let asText = false;

  function textual(on) {
    asText = on;
    words.hidden = !on;
    if (svg) svg.classList.toggle("away", on);
    textTool.setAttribute("aria-pressed", String(on));
    if (on) words.textContent = textAt(ply);
  }

  function shownPly(at) {
    return Math.min(at, board.count - 1);
  }

  function textAt(at) {
    const lines = board.text(shownPly(at));
    return typeof lines === "string" ? lines : lines.join("\n");
  }

  function flip() {
    if (!board || !svg) return;
    board.flip(!board.flip());
    flipTool.setAttribute("aria-pressed", String(!!board.flip()));
    stage.classList.toggle("turned", !!board.flip());
    address();
  }

  let flipTool;
  let textTool;
  let lettersTool;
  let viewer;
  if (board && svg) {
    svg.after(words);
    flipTool = tool("flip", "Flip", "Turn the board (f)", flip);
    flipTool.setAttribute("aria-pressed", "false");
    textTool = tool("as-text", "Text", "Show the board as text", function () {
      textual(!asText);
      keep("board", asText ? "text" : "drawing");
    });
    textual(kept("board") === "text");
  }
  if (svg && svg.querySelector(".tb-letter")) {
    const letters = function (on) {
      svg.classList.toggle("tb-letters", on);
      lettersTool.setAttribute("aria-pressed", String(on));
    };
    lettersTool = tool("letters", "Letters", "Show pieces as letters", function () {
      letters(!svg.classList.contains("tb-letters"));
      keep("pieces", svg.classList.contains("tb-letters") ? "letters" : "drawings");
    });
    letters(kept("pieces") === "letters");
  }
  if (board && board.views.length) {
    viewer = make("select", { id: "viewer", "aria-label": "Seen by" }, make("option", { value: 0 }, "all open"));
    board.views.forEach(function (name, k) {
      viewer.append(make("option", { value: k + 1 }, "seen by " + name));
    });
    viewer.addEventListener("change", function () {
      board.view(+viewer.value);
      show(ply);
    });
    tools.append(viewer);
  }

  /* ---- sharing and downloads ---- */

  function hash() {
    return (
      "#ply=" + ply + (board && board.flip() ? "&flip" : "") + (viewer && +viewer.value ? "&view=" + viewer.value : "") + (compared ? "&compare=" + compared : "")
    );
  }

  const share = tool("share", "Copy link", "Copy a link to this action", function () {
    const address = location.href.replace(/#.*/, "") + hash();
    const done = function () {
      share.textContent = "Copied";
      setTimeout(function () {
        share.textContent = "Copy link";
      }, 1500);
    };
    const ask = function () {
      linkField.value = address;
      linkField.hidden = false;
      linkField.focus();
      linkField.select();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(address).then(done, ask);
    else ask();
  });
  const linkField = make("input", { id: "link", type: "text", readonly: "", "aria-label": "Link to this action", hidden: "" });
  tools.append(linkField);

  function cell(value) {
    if (value === undefined || value === null) return "";
    let text = String(value);
    /* A spreadsheet would read such a text as a formula. */
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }

  function table() {
    const keys = [];
    const at = {};
    seats.forEach(function (seat) {
      (info[seat] || []).forEach(function (entry) {
        at[entry.ply] = {};
        entry.values.forEach(function (pair) {
          if (keys.indexOf(pair[0]) < 0) keys.push(pair[0]);
          at[entry.ply][pair[0]] = pair[1];
        });
      });
    });
    const own = written === actions ? [] : ["notation"];
    const head = ["ply", "seat", "action"].concat(own, ["note"],times.length ? ["time_ms"] : [], keys.map(function (key) {
      return key || "text";
    }));
    const rows = actions.map(function (action, k) {
      const said = at[k + 1] || {};
      return [k + 1, actors[k], action].concat(own.length ? [written[k].replace(/\u00a0/g, " ")] : [], [noteOf(k + 1)], times.length ? [times[k]] : [], keys.map(function (key) {
        return said[key];
      }));
    });
    return [head].concat(rows).map(function (row) {
      return row.map(cell).join(",") + "\n";
    }).join("");
  }

  function download(name, label, type, content) {
    const made = make("a", { href: "#", download: data.file + "." + name, role: "button", "aria-label": label }, name.toUpperCase());
    made.addEventListener("click", function (event) {
      if (made.dataset.ready) return;
      event.preventDefault();
      made.href = URL.createObjectURL(new Blob([content()], { type: type }));
      made.dataset.ready = "yes";
      made.click();
    });
    return made;
  }

  const get = document.getElementById("get");
  const files = Array.from(get.querySelectorAll("a"));
  files.forEach(function (file) {
    file.download = data.file + file.pathname.replace(/.*\./, ".");
  });
  files.splice(-1, 0, download("csv", "Actions as CSV", "text/csv", table));
  get.textContent = "";
  get.append(make("span", { class: "hush" }, "Download:"));
  files.forEach(function (file) {
    get.append(" ", file);
  });

  /* ---- help ---- */

  const help = make("dialog", { id: "help", "aria-labelledby": "help-title" });
  (function () {
    const list = make("dl", {});
    [
      ["\u2190 \u2192", "one action back or forward"],
      ["Shift+\u2190 Shift+\u2192", "one turn back or forward; in the list also \u2191 and \u2193"],
      ["Home End", "start or end"],
      ["space", "play or pause"],
      ["+ \u2212", "faster or slower"],
      ["f", "turn the board"],
      ["c", "copy a link to this action"],
      ["?", "this help"],
      ["Esc", "close"],
    ].forEach(function (pair) {
      const keys = make("dt", {});
      pair[0].split(" ").forEach(function (key) {
        keys.append(make("kbd", {}, key), " ");
      });
      list.append(make("div", {}, keys, make("dd", {}, pair[1])));
    });
    const close = make("button", { type: "button", class: "close" }, "Close");
    close.addEventListener("click", function () {
      help.close();
    });
    help.append(
      make("h2", { id: "help-title" }, "Replay"),
      list,
      make("p", {}, "Swipe over the board to step. Click a plot or an action to go there. A link to #ply=12 opens the position after action 12."),
      close
    );
    document.body.append(help);
  })();
  tool("helper", "?", "Help (?)", openHelp).setAttribute("aria-label", "Help");

  function openHelp() {
    if (!help.open) help.showModal();
  }

  /* ---- showing an action ---- */

  const notes = document.getElementById("notes");
  const position = document.getElementById("position");
  if (notes) notes.before(drawn);
  else document.getElementById("panel").append(drawn);
  const limitNote = clockNote();
  if (limitNote) document.getElementById("panel").append(make("p", { class: "limit hush" }, limitNote));
  if (data.cut) document.getElementById("panel").append(make("p", { class: "limit hush" }, "Long texts of later info lines are left out; tourney show --log prints them."));

  /* The chance actions since the last turn. */
  function drawnAt(at) {
    const found = [];
    const seat = at ? actors[at - 1] : 0;
    while (at > 0 && actors[at - 1] && actors[at - 1] === seat) at--;
    while (at > 0 && !actors[at - 1]) found.unshift(written[--at]);
    return found;
  }

  /* What the chosen seat did not see is "?" while it is hidden from it. */
  function unseen(at) {
    const seat = viewer ? +viewer.value : 0;
    const view = seat && data.board.views.find(function (each) {
      return each.seat === seat;
    });
    return !!view && ply <= view.last && hidden[seat].has(at);
  }

  function textOf(at) {
    return unseen(at) ? "?" : written[at - 1];
  }

  const hidden = {};
  ((data.board && data.board.views) || []).forEach(function (view) {
    hidden[view.seat] = new Set(steps(view.h || ""));
  });

  function veil() {
    if (!viewer) return;
    Object.keys(hidden).forEach(function (seat) {
      hidden[seat].forEach(function (at) {
        const label = links[at].querySelector("span");
        const text = textOf(at);
        if (label.textContent === text) return;
        label.textContent = text;
        links[at].title = text === "?" ? "hidden from " + seatName(+viewer.value) : actions[at - 1];
      });
    });
  }

  function describe(at) {
    if (!at) return "Start (0 of " + last + ")";
    const actor = actors[at - 1];
    const note = noteOf(at);
    const who = actor ? seatName(actor) : "chance";
    return "Action " + at + " of " + last + ": " + who + " " + textOf(at) + (note && note !== "chance" ? " (" + note + ")" : "");
  }

  function show(at, keepHash) {
    leaveLine();
    const step = at - ply;
    ply = Math.max(0, Math.min(last, at));
    if (board) {
      board.show(shownPly(ply), { animate: Math.abs(step) === 1 && !calm.matches });
      showNotes(board.notes(shownPly(ply)));
      position.textContent = board.position(shownPly(ply));
      if (asText) words.textContent = textAt(ply);
    }
    slider.value = ply;
    veil();
    const old = moves.querySelector("[aria-current]");
    const inside = moves.contains(document.activeElement);
    if (old) {
      old.removeAttribute("aria-current");
      old.tabIndex = -1;
    }
    const current = links[ply];
    current.setAttribute("aria-current", "true");
    current.tabIndex = 0;
    if (inside) current.focus({ preventScroll: true });
    const above = current.getBoundingClientRect().top - moves.getBoundingClientRect().top;
    if (above < 30 || above > moves.clientHeight - 50) moves.scrollTop += above - moves.clientHeight / 2;
    const text = describe(ply);
    now.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    if (said) said.textContent = "The board. " + text;
    const chance = drawnAt(ply);
    drawn.textContent = chance.length ? "Drawn: " : "";
    if (chance.length) drawn.append(isolated(chance.join(" ")));
    cards.forEach(function (card, k) {
      showCard(card, k + 1, ply);
    });
    if (plots) plots.show(ply);
    showOdds();
    if (comparison) comparison.show(ply);
    if (!keepHash) {
      trouble.hidden = true;
      address();
    }
  }

  /* ---- the analysis: a bar of the chance to win, and better lines on the board ---- */

  const chances = (data.chances || []).filter(function () {
    return data.seats.length === 2;
  });
  const odds = chances.length && board && svg ? make("div", { id: "odds", role: "img" }) : null;
  if (odds) {
    odds.append(...data.seats.map(function (seat) { return make("i", { class: "c-" + seat[1] }); }));
    words.after(odds);
  }

  function showOdds() {
    if (!odds) return;
    let at = chances[0];
    chances.forEach(function (each) {
      if (each[0] <= ply) at = each;
    });
    odds.firstChild.style.width = at[2] + "%";
    odds.setAttribute("aria-label", data.seats[0][0] + "\u2019s chance to win: " + Math.round(at[2]) + " %");
    odds.title = odds.getAttribute("aria-label");
  }

  let line = null;
  let lineAt = 0;
  const lineText = make("span", { "aria-live": "polite" });
  const lineBar = make("p", { id: "line", role: "group", "aria-label": "Better line", hidden: "" });
  [["\u2039", -1, "One action back in the line"], ["\u203a", 1, "One action forward in the line"]].forEach(function (each) {
    const made = make("button", { type: "button", title: each[2], "aria-label": each[2] }, each[0]);
    made.addEventListener("click", function () { stepLine(each[1]); });
    lineBar.append(made);
  });
  const backToGame = make("button", { type: "button", title: "Back to the match (Escape)" }, "Back to the match");
  backToGame.addEventListener("click", function () { show(ply); });
  lineBar.append(lineText, backToGame);
  controls.after(lineBar);

  function stepLine(by) {
    lineAt = Math.max(0, Math.min(line[2].length, lineAt + by));
    const at = line[1] + lineAt;
    board.show(at, { animate: !calm.matches });
    showNotes(board.notes(at));
    position.textContent = board.position(at);
    lineText.textContent = "Better at action " + line[0] + ": ";
    line[2].forEach(function (text, k) {
      lineText.append(make(k + 1 === lineAt ? "b" : "bdi", {}, text), " ");
    });
  }

  function enterLine(found) {
    show(found[0] - 1);
    line = found;
    lineAt = 0;
    const texts = [];
    found[2].forEach(function (text, k) { texts[found[1] + k + 1] = text; });
    board.line(texts);
    lineBar.hidden = false;
    stepLine(1);
    stage.scrollIntoView({ block: "nearest" });
    backToGame.focus({ preventScroll: true });
  }

  function leaveLine() {
    if (!line) return;
    line = null;
    board.line(null);
    lineBar.hidden = true;
  }

  (board && svg ? data.better || [] : []).forEach(function (found) {
    const cell = document.querySelector('[data-better="' + found[0] + '"]');
    if (!cell || !found[2].length) return;
    const made = make("button", { type: "button", "aria-label": "Show the better line at action " + found[0] + " on the board" }, "Show");
    made.addEventListener("click", function () {
      pause();
      enterLine(found);
    });
    cell.append(" ", made);
  });

  /* Update the address with a delay: browsers limit the rate of changes. */
  function address() {
    if (solo) return;
    if (resting !== null) clearTimeout(resting);
    resting = setTimeout(function () {
      resting = null;
      try {
        history.replaceState(null, "", hash());
      } catch (error) {
        /* Some browsers do not allow changes to a file's address. */
      }
    }, 250);
  }

  function pause() {
    if (timer !== null) clearInterval(timer);
    timer = null;
    now.setAttribute("aria-live", "polite");
    play.classList.remove("playing");
    play.setAttribute("aria-label", "Play");
  }

  function start() {
    pause();
    if (ply >= last) show(0);
    timer = setInterval(function () {
      if (ply >= last) pause();
      else show(ply + 1);
    }, 800 / +speed.value);
    now.setAttribute("aria-live", "off");
    play.classList.add("playing");
    play.setAttribute("aria-label", "Pause");
  }

  /* The last ply of the turn before or after the shown one; chance belongs to the turn after it. */
  function turnFrom(at, step) {
    const ends = function (to) {
      const seat = actors[to - 1];
      let after = to;
      while (after < last && !actors[after]) after++;
      return seat && (after >= last || actors[after] !== seat);
    };
    do at += step;
    while (at > 0 && at < last && !ends(at));
    return at;
  }

  function go(where) {
    if (where === "play") {
      if (timer === null) start();
      else pause();
      return;
    }
    pause();
    if (line && (where === "back" || where === "next")) return stepLine(where === "next" ? 1 : -1);
    show({ first: 0, back: ply - 1, next: ply + 1, last: last, turnback: turnFrom(ply, -1), turnnext: turnFrom(ply, 1) }[where]);
  }

  function faster(steps) {
    speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + steps));
    if (timer !== null) start();
  }

  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };

  // The key positions are the links of the page's film.
  function goKey(forward) {
    const plies = [...document.querySelectorAll(".film a")].map(function (link) {
      return +link.getAttribute("href").replace("#ply=", "");
    });
    const left = plies.filter(function (at) {
      return forward ? at > ply : at < ply;
    });
    if (left.length) {
      pause();
      show(forward ? Math.min(...left) : Math.max(...left));
    }
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey || help.open) return;
    const tag = event.target.tagName;
    if (tag === "SELECT" || tag === "TEXTAREA" || (tag === "INPUT" && event.target.type !== "range")) return;
    if (event.key === " " && (tag === "BUTTON" || tag === "SUMMARY" || tag === "A")) return;
    const turns = { ArrowLeft: "turnback", ArrowRight: "turnnext" };
    const lines = { ArrowUp: "turnback", ArrowDown: "turnnext" };
    if (event.shiftKey && turns[event.key]) go(turns[event.key]);
    else if (lines[event.key] && moves.contains(event.target)) go(lines[event.key]);
    else if (keys[event.key]) go(keys[event.key]);
    else if (event.key === "+" || event.key === "=") faster(1);
    else if (event.key === "-") faster(-1);
    else if (event.key === "f") flip();
    else if (event.key === "n" || event.key === "p") goKey(event.key === "n");
    else if (event.key === "c") share.click();
    else if (event.key === "?") openHelp();
    else if (event.key === "Escape" && line) show(ply);
    else if (event.key === "Escape" && comparison) comparison.close();
    else return;
    event.preventDefault();
  });

  buttons.addEventListener("click", function (event) {
    const pressed = event.target.closest("button");
    if (pressed) go(pressed.dataset.go);
  });
  slider.addEventListener("input", function () {
    pause();
    show(+slider.value);
  });
  speed.addEventListener("change", function () {
    faster(0);
  });

  (function () {
    let from = null;
    if (!svg) return;
    svg.addEventListener("touchstart", function (event) {
      from = event.touches.length === 1 ? [event.touches[0].clientX, event.touches[0].clientY] : null;
    }, { passive: true });
    svg.addEventListener("touchend", function (event) {
      const to = event.changedTouches[0];
      if (!from || !to) return;
      const x = to.clientX - from[0];
      if (Math.abs(x) > 40 && Math.abs(x) > 2 * Math.abs(to.clientY - from[1])) go(x < 0 ? "next" : "back");
      from = null;
    });
  })();

  /* ---- links ---- */

  /* Return the parts of an address, or null if it is not about an action; old links have the form #ply-12. */
  function parsed(text) {
    const found = { ply: last, problem: "", flip: false, view: 0, compare: 0 };
    let about = false;
    text.replace(/^#/, "").split("&").forEach(function (part) {
      const pair = /^([a-z]+)(?:[=-](.*))?$/.exec(part) || [];
      const number = /^\d{1,9}$/.test(pair[2] || "") ? +pair[2] : null;
      if (pair[1] === "ply") {
        about = true;
        if (number === null) found.problem = "This link does not name an action: the page shows the last of " + last + ".";
        else if (number > last) found.problem = "This link asks for action " + number + ", but the match has " + last + ": the page shows the last.";
        else found.ply = number;
      } else if (pair[1] === "flip" && pair[2] === undefined) found.flip = true;
      else if (pair[1] === "view" && number !== null) found.view = number;
      else if (pair[1] === "compare" && number !== null) found.compare = number;
    });
    return about ? found : null;
  }

  function open(found) {
    trouble.textContent = found.problem;
    trouble.hidden = !found.problem;
    if (board && svg && found.flip !== !!board.flip()) flip();
    if (viewer && found.view <= board.views.length) {
      viewer.value = found.view;
      board.view(found.view);
    }
    show(found.ply, true);
    if (found.compare && found.compare !== compared) compareWith(found.compare, found.ply);
  }

  document.addEventListener("click", function (event) {
    const target = event.target.closest('a[href^="#ply="]');
    if (!target) return;
    event.preventDefault();
    pause();
    show(+target.getAttribute("href").slice(5));
    if (!moves.contains(target)) stage.scrollIntoView({ block: "nearest" });
  });
  window.addEventListener("hashchange", function () {
    const found = parsed(location.hash);
    if (found) open(found);
  });

  /* ---- plots, the comparison with a match of the same seed ---- */

  const plots = window.TourneyPlots
    ? window.TourneyPlots({
        make: make,
        last: last,
        seats: data.seats,
        names: seats.map(botName),
        info: info,
        times: times,
        actors: actors,
        clocks: clocks,
        chances: data.chances || [],
        grouped: grouped,
        kept: kept,
        keep: keep,
        go: function (at) {
          pause();
          show(Math.max(0, Math.min(last, at)));
        },
      })
    : null;
  let comparison = null;

  function compareWith(number, at) {
    const mate = (data.mates || []).find(function (each) {
      return each[0] === number;
    });
    if (!mate || !window.TourneyCompare || solo) return;
    if (comparison) comparison.close();
    pause();
    compared = number;
    comparison = window.TourneyCompare(cockpit, {
      make: make,
      number: number,
      difference: mate[1],
      go: function (to) {
        pause();
        show(to);
      },
      closed: function () {
        compared = 0;
        comparison = null;
        address();
      },
    });
    show(at === undefined ? mate[1] || ply : at);
    if (at === undefined) cockpit.scrollIntoView({ block: "start" });
  }

  document.querySelectorAll(".mates li").forEach(function (item) {
    const opener = make("button", { type: "button", class: "opener" }, "Compare boards");
    opener.addEventListener("click", function () {
      compareWith(+item.dataset.match);
    });
    item.append(" ", opener);
  });

  /* Key positions: the page has a few for readers without scripts; the script draws more. */
  const film = document.querySelector(".film");
  if (film && board && board.picture) {
    film.textContent = "";
    const captions = film.dataset.captions.split("\n");
    for (const [place, at] of film.dataset.plies.split(" ").map(Number).entries()) {
      if (at >= board.count) continue;
      const picture = board.picture(at);
      picture.setAttribute("aria-hidden", "true");
      film.append(make("li", {}, make("a", { href: "#ply=" + at }, picture, make("span", {}, captions[place]))));
    }
  }

  const found = parsed(location.hash);
  if (solo) {
    document.documentElement.classList.add("solo");
    window.addEventListener("message", function (event) {
      const to = event.source === window.parent && event.data ? event.data.tourneyPly : null;
      if (Number.isInteger(to) && to >= 0) show(Math.min(to, last), true);
    });
  }
  if (found) open(found);
  else show(last, true);
  if (data.board && !board) {
    trouble.textContent = "The drawings of this game are missing (board/game.js), so the page shows the last board only.";
    trouble.hidden = false;
  }
})();
