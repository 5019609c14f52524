/* The board of a match: draws any position of it from the data of the page and of the game (board/game.js sets
   window.TourneyGame). It knows nothing about games: a position is a set of things at places, and the data say
   what changes from ply to ply (for their format see tourney/report/replays: replay.py, stills.py and codes.py).

   var board = TourneyBoard(svg, data, actions);    actions: an array of strings
   board.count                      plies with a position: 0 is the start, count - 1 the last
   board.show(ply, {animate: true}) draws a position; what moved slides if it is one ply away
   board.ply()                      the ply shown
   board.action(ply)                the action that led to a position, "" at the start
   board.notes(ply)                 the lines below the board, as an array of strings
   board.position(ply)              the position string
   board.text(ply)                  the pieces in words, as an array of lines, for readers who do not see the board
   board.flip(on)                   turns the board by half a turn (letters stay upright); returns whether it is
   board.views                      names of the seats as viewpoints, [] if nothing is hidden
   board.view(seat)                 shows what a seat (from 1) saw, 0 everything; returns the seat
   board.line(words)                shows the pictures of data.lines from now on, whose actions are words[ply], or
                                    with null those of the match again
   board.picture(ply)               a new, small <svg> of a position, seen from below

   svg may be null: then nothing is drawn. */
(function () {
  "use strict";

  var SVG = "http://www.w3.org/2000/svg";
  var FIELD = "\x1f";
  var RUN = "'";
  var GROUND = 0, LABEL = 1, MARK = 2, ARROW = 3, PIECE = 4, ASIDE = 5;
  var ALPHABET = "";
  for (var c = 33; c < 127; c++) if ("\"\\<>&'".indexOf(String.fromCharCode(c)) < 0) ALPHABET += String.fromCharCode(c);
  var BASE = ALPHABET.length, ONE = 62, TWO = 24;
  var SLIDE = 220; /* milliseconds */

  /* Reads the numbers of a text one after another. */
  function Reader(text) {
    this.text = text;
    this.at = 0;
  }
  Reader.prototype.more = function () {
    return this.at < this.text.length;
  };
  Reader.prototype.number = function () {
    var first = this.digit();
    if (first < ONE) return first;
    first -= ONE;
    if (first < TWO) return ONE + first * BASE + this.digit();
    var rest = ((first - TWO) * BASE + this.digit()) * BASE + this.digit();
    return ONE + TWO * BASE + rest * BASE + this.digit();
  };
  Reader.prototype.digit = function () {
    return ALPHABET.indexOf(this.text[this.at++]);
  };
  Reader.prototype.rest = function () {
    return this.text.slice(this.at);
  };

  /* Returns all values of a column. */
  function column(code, count) {
    var words = code.split(" ");
    var way = words[0][0];
    var values = [words[0].slice(1)];
    var k = 1;
    var reader = k < words.length ? new Reader(words[k]) : null;
    var next = reader ? reader.number() : -1;
    for (var at = 1; at < count; at++) {
      var before = values[at - 1];
      if (at === next) {
        if (way === "/") {
          var head = reader.number(), tail = reader.number();
          values.push(before.slice(0, head) + reader.rest() + before.slice(before.length - tail));
        } else {
          values.push(reader.rest());
        }
        k++;
        reader = k < words.length ? new Reader(words[k]) : null;
        next = reader ? at + reader.number() : -1;
      } else if (way === "+") values.push(String(+before + 1));
      else values.push(way === "~" ? values[at - 2] : before);
    }
    return values;
  }

  function positions(fields, count) {
    var columns = fields.map(function (field) {
      return { by: field[0], parts: field.slice(1).map(function (code) { return column(code, count); }) };
    });
    return function (ply) {
      return columns
        .map(function (field) {
          return field.parts.map(function (values) { return values[ply]; }).join(field.by);
        })
        .join(" ")
        .replaceAll(FIELD, " ");
    };
  }

  /* Returns the functions of one onlooker's pictures: things(ply), trace(ply), notes(ply) and position(ply). */
  function Frames(data, sprites, start) {
    function keys(text) {
      var reader = new Reader(text);
      var found = [];
      while (reader.more()) {
        var run = text[reader.at] === RUN ? 1 : 0;
        reader.at += run;
        var left = run ? reader.number() : 1;
        var from = reader.at;
        var sprite = sprites[reader.number()];
        var name = text.slice(from, reader.at);
        for (; left > 0; left--) {
          from = reader.at;
          reader.number();
          if (sprite.layer === ARROW) reader.number();
          found.push(name + text.slice(from, reader.at));
        }
      }
      return found;
    }

    var toggles = data.t.split(" ").map(keys);
    var traces = data.m.split(" ");
    var count = toggles.length;
    var position = positions(data.p, count);
    var sets = new Reader(data.k);
    var noted = toggles.map(function () { return sets.number(); });
    var set = new Set(keys(start));
    var at = -1;

    function toggle(key) {
      if (!set.delete(key)) set.add(key);
    }

    return {
      count: count,
      position: position,
      noted: noted,
      trace: function (ply) {
        return keys(traces[ply]);
      },
      /* Appearing and disappearing are the same step, so it also leads backwards. */
      things: function (ply) {
        while (at < ply) toggles[++at].forEach(toggle);
        while (at > ply) toggles[at--].forEach(toggle);
        return set;
      },
    };
  }

  function element(name, attributes, parent) {
    var made = document.createElementNS(SVG, name);
    for (var key in attributes) made.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(made);
    return made;
  }

  function arrow(node, dx, dy) {
    var length = Math.floor(Math.sqrt(dx * dx + dy * dy));
    function along(distance, aside) {
      return Math.floor((dx * distance - dy * aside) / length) + " " + Math.floor((dy * distance + dx * aside) / length);
    }
    var tip = length - 38, base = length - 70;
    element("path", { class: "tb-shaft", d: "M" + along(8, 0) + "L" + along(base, 0) }, node);
    element("path", { class: "tb-head", d: "M" + along(tip, 0) + "L" + along(base, 22) + "L" + along(base, -22) + "Z" }, node);
  }

  function still() {
    return window.matchMedia && window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  window.TourneyBoard = function (svg, data, actions) {
    var game = window.TourneyGame || { sprites: [], places: [], start: "", seats: [] };
    var sprites = game.sprites.concat(data.sprites || []).map(function (sprite) {
      return { layer: sprite[0], level: sprite[1], svg: sprite[2], title: sprite[3] };
    });
    var places = game.places.concat(data.places || []).map(function (place) {
      return { x: place[0], y: place[1], name: place[2] };
    });
    var templates = [];
    data.notes.forEach(function (code) {
      var reader = new Reader(code), head = reader.number();
      templates.push((templates[templates.length - 1] || "").slice(0, head) + reader.rest());
    });
    var sets = data.sets.split(" ").map(function (code) {
      var reader = new Reader(code), numbers = [];
      while (reader.more()) numbers.push(reader.number());
      return numbers;
    });
    var open = Frames(data, sprites, game.start);
    var seen = {};
    (data.views || []).forEach(function (view) {
      seen[view.seat] = { last: view.last, frames: Frames(view, sprites, game.start) };
    });
    var lines = data.lines ? Frames(data.lines, sprites, game.start) : null;
    var aside = null; /* the actions of the line that is shown, by the numbers of their pictures */
    var seat = 0;
    var flipped = false;
    var shown = -1;
    var nodes = new Map(); /* the nodes of things by their keys */
    var leaving = [];
    var layers = null;
    var box = svg ? svg.viewBox.baseVal : null;

    function frames(ply) {
      if (aside) return lines;
      var own = seen[seat];
      return own && ply <= own.last ? own.frames : open;
    }

    function read(key) {
      var reader = new Reader(key);
      var number = reader.number(), place = reader.number();
      return { key: key, number: number, sprite: sprites[number], at: places[place], to: reader.more() ? places[reader.number()] : null };
    }

    function named(template, names) {
      return template.split(FIELD).join(names).trim();
    }

    /* All things of a position, the lowest first, as the reader turned the board. */
    function things(ply, turned) {
      var on = frames(ply);
      var sign = turned ? -1 : 1;
      return Array.from(on.things(ply)).concat(on.trace(ply)).map(read).sort(function (a, b) {
        return a.sprite.layer - b.sprite.layer || a.sprite.level - b.sprite.level ||
          sign * (a.at.y - b.at.y || a.at.x - b.at.x) || a.number - b.number;
      });
    }

    function spot(place, turned) {
      return turned ? [2 * box.x + box.width - place.x, 2 * box.y + box.height - place.y] : [place.x, place.y];
    }

    function draw(thing, turned) {
      var at = spot(thing.at, turned);
      var node = element("g", { transform: "translate(" + at[0] + " " + at[1] + ")" });
      var title = named(thing.sprite.title, thing.at.name);
      if (title) element("title", {}, node).textContent = title;
      if (thing.to) {
        var to = spot(thing.to, turned);
        arrow(node, to[0] - at[0], to[1] - at[1]);
      } else {
        element("use", { href: "#k" + thing.number }, node);
      }
      node.tourney = { sprite: thing.sprite, at: at };
      return node;
    }

    /* Puts the sprites of the game into the page, in place of the pictures for readers without scripts. */
    function prepare() {
      var defs = svg.querySelector("defs") || element("defs", {}, svg);
      var said = svg.querySelector("title");
      Array.from(defs.querySelectorAll("image")).forEach(function (image) { image.remove(); });
      var markup = game.sprites.map(function (_, k) { return '<g id="k' + k + '">' + sprites[k].svg + "</g>"; }).join("");
      var parsed = new DOMParser().parseFromString('<svg xmlns="' + SVG + '">' + markup + "</svg>", "image/svg+xml");
      Array.from(parsed.documentElement.children).forEach(function (node) { defs.appendChild(document.importNode(node, true)); });
      svg.textContent = "";
      if (said) svg.appendChild(said);
      svg.appendChild(defs);
      var ground = element("g", { id: "ground", class: "tb-ground" }, defs);
      var reader = new Reader(game.start);
      while (reader.more()) {
        var number = reader.number(), place = places[reader.number()];
        if (sprites[number].layer <= LABEL) element("use", { href: "#k" + number, x: place.x, y: place.y }, ground);
      }
      layers = [GROUND, LABEL, MARK, ARROW, PIECE, ASIDE].map(function (layer) {
        return element("g", { class: layer <= LABEL ? "tb-ground" : "tb-pieces", "data-layer": layer }, svg);
      });
    }

    function settle() {
      leaving.splice(0).forEach(function (node) { node.remove(); });
    }

    function move(node, from, to) {
      node.animate(
        [{ transform: "translate(" + from[0] + "px," + from[1] + "px)" }, { transform: "translate(" + to[0] + "px," + to[1] + "px)" }],
        { duration: SLIDE, easing: "ease-in-out" }
      );
    }

    function leave(node) {
      leaving.push(node);
      node.setAttribute("data-leaving", "");
      function gone() { node.remove(); }
      node.animate([{ opacity: 1 }, { opacity: 0 }], { duration: SLIDE }).finished.then(gone, gone);
    }

    /* Lets each piece that came slide from the nearest one of the same look that went; others fade. */
    function pair(came, gone) {
      came.forEach(function (node) {
        var at = node.tourney.at;
        var best = -1, least = Infinity;
        gone.forEach(function (old, k) {
          var dx = old.tourney.at[0] - at[0], dy = old.tourney.at[1] - at[1];
          if (old.tourney.sprite.svg === node.tourney.sprite.svg && dx * dx + dy * dy < least) {
            best = k;
            least = dx * dx + dy * dy;
          }
        });
        if (best < 0) {
          node.animate([{ opacity: 0 }, { opacity: 1 }], { duration: SLIDE });
        } else {
          var old = gone.splice(best, 1)[0];
          old.remove();
          node.parentNode.appendChild(node);
          move(node, old.tourney.at, at);
        }
      });
      gone.forEach(leave);
    }

    function show(ply, how) {
      var animate = how && how.animate && Math.abs(ply - shown) === 1 && !still() && svg && svg.animate;
      shown = within(ply);
      if (!layers) return;
      settle();
      var old = nodes;
      var came = [];
      var order = layers.map(function () { return []; });
      nodes = new Map();
      things(shown, flipped).forEach(function (thing) {
        var key = thing.key;
        while (nodes.has(key)) key += " "; /* a mark may be there twice */
        var node = old.get(key);
        old.delete(key);
        if (!node) {
          node = draw(thing, flipped);
          if (thing.sprite.layer === PIECE) came.push(node);
        }
        nodes.set(key, node);
        order[thing.sprite.layer].push(node);
      });
      var gone = [];
      old.forEach(function (node) {
        if (animate && node.tourney.sprite.layer === PIECE) gone.push(node);
        else node.remove();
      });
      order.forEach(function (ordered, layer) {
        var next = layers[layer].firstChild;
        ordered.forEach(function (node) {
          while (gone.indexOf(next) >= 0) next = next.nextSibling;
          if (next === node) next = next.nextSibling;
          else layers[layer].insertBefore(node, next);
        });
      });
      if (animate) pair(came, gone);
    }

    function within(ply) {
      return Math.max(0, Math.min((aside ? lines : open).count - 1, ply));
    }

    function value(ply, address) {
      if (address === "a") return (aside ? aside[ply] : actions[ply - 1]) || "";
      var path = address.split(".");
      var text = frames(ply).position(ply).split(" ")[+path[0]];
      return path.length > 1 ? text.split(/[:,]/)[+path[1]] : text;
    }

    function notes(ply) {
      ply = within(ply);
      return sets[frames(ply).noted[ply]].map(function (number) {
        return templates[number].split(FIELD).map(function (part, k) { return k % 2 ? value(ply, part) : part; }).join("");
      });
    }

    function text(ply) {
      var groups = new Map();
      things(within(ply), false).forEach(function (thing) {
        if (thing.sprite.layer !== PIECE) return;
        var name = thing.at.name, title = thing.sprite.title;
        var template = title.indexOf(FIELD) < 0 && name ? title + ": " + FIELD : title;
        if (!groups.has(template)) groups.set(template, []);
        groups.get(template).push(name);
      });
      return Array.from(groups.keys()).sort().map(function (template) {
        return named(template, groups.get(template).sort(byName).join(", "));
      });
    }

    function byName(a, b) {
      return a.localeCompare(b, "en", { numeric: true });
    }

    if (svg && box.width) prepare();

    return {
      count: open.count,
      show: show,
      ply: function () {
        return shown;
      },
      action: function (ply) {
        return ply ? actions[ply - 1] : "";
      },
      notes: notes,
      position: function (ply) {
        ply = within(ply);
        return frames(ply).position(ply);
      },
      text: text,
      flip: function (on) {
        if (on !== undefined && !!on !== flipped) {
          flipped = !!on;
          nodes.forEach(function (node) { node.remove(); });
          nodes.clear();
          if (shown >= 0) show(shown);
        }
        return flipped;
      },
      views: data.views && data.views.length ? game.seats.slice() : [],
      view: function (number) {
        if (number !== undefined && number !== seat) {
          seat = number;
          if (shown >= 0) show(shown);
        }
        return seat;
      },
      line: function (words) {
        aside = lines && words;
        shown = -1;
      },
      picture: function (ply) {
        var made = element("svg", { class: "tb", viewBox: [box.x, box.y, box.width, box.height].join(" ") });
        things(within(ply), false).forEach(function (thing) { made.appendChild(draw(thing, false)); });
        return made;
      },
    };
  };
})();
