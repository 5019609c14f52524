/* The list of all matches: filters and search over window.TourneyMatches, in pages.

   The address holds the filter, so that a reader can share it: matches.html#bot=01-alpha&result=lost. */
(function () {
  "use strict";
  var data = window.TourneyMatches;
  var form = document.querySelector("form.filter");
  if (!data || !form) return;

  var PAGE = 100;
  var seatCount = data.seats.length;
  var body = document.getElementById("rows");
  var heads = document.querySelectorAll(".matches thead th[data-sort]");
  var count = document.getElementById("filter-count");
  var pager = document.getElementById("pager");
  var fields = {};
  Array.prototype.forEach.call(form.elements, function (field) {
    if (field.name) fields[field.name] = field;
  });
  var isVoid = flags(data.void);
  var unpaged = flags(data.unpaged);
  var faults = {};
  for (var k = 0; k < data.fault.length; k += 3) {
    (faults[data.fault[k]] = faults[data.fault[k]] || {})[data.fault[k + 1]] = data.fault[k + 2];
  }
  var texts = null;
  var sort = { key: "match", down: false };
  var page = 0;
  var found = [];

  function flags(rows) {
    var set = {};
    rows.forEach(function (row) {
      set[row] = true;
    });
    return set;
  }

  function option(select, value, words) {
    var made = document.createElement("option");
    made.value = value;
    made.textContent = words;
    select.appendChild(made);
  }

  function place(row) {
    return where(row) + " " + game(row);
  }

  function where(row) {
    return "round " + data.round[row] + ", table " + data.table[row];
  }

  function game(row) {
    return "game " + data.repeat[row] + "." + data.order[row];
  }

  function outcome(row, seat) {
    if (isVoid[row]) return "void";
    var rank = data.rank[row * seatCount + seat];
    if (rank > 1) return "lost";
    for (var other = 0; other < seatCount; other++) {
      if (other !== seat && data.rank[row * seatCount + other] === 1) return "drawn";
    }
    return "won";
  }

  function look(row, seat) {
    if (isVoid[row]) return "even";
    if (data.rank[row * seatCount + seat] > 1) return "lost";
    for (var other = 0; other < seatCount; other++) {
      if (data.rank[row * seatCount + other] > 1) return "won";
    }
    return "even";
  }

  function result(row, seat) {
    if (isVoid[row]) return "\u2013";
    var rank = data.rank[row * seatCount + seat];
    if (seatCount > 2) return String(rank);
    return { won: "1", drawn: "\u00bd", lost: "0" }[outcome(row, seat)];
  }

  function textOf(row) {
    var words = [data.match[row], place(row), data.ends[data.end[row]], isVoid[row] ? "void" : ""];
    for (var seat = 0; seat < seatCount; seat++) {
      words.push(data.bots[data.bot[row * seatCount + seat]][0]);
      if (faults[row] && seat in faults[row]) words.push(data.faults[faults[row][seat]].join(" "));
    }
    return words.join(" ").toLowerCase();
  }

  function number(field, missing) {
    var value = field.value.trim() === "" ? NaN : Number(field.value);
    return isNaN(value) ? missing : value;
  }

  function chosen(name) {
    return fields[name].value === "" ? -1 : fields[name].selectedIndex - 1;
  }

  /* Return the places of the matches that fit. Seat, result and fault are those of the bot, if one is chosen. */
  function select() {
    var words = fields.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    var bot = chosen("bot"), opponent = chosen("opponent"), seatWanted = chosen("seat");
    var end = chosen("end"), kind = fields.fault.value, wanted = fields.result.value;
    var low = number(fields.least, -Infinity), high = number(fields.most, Infinity);
    var first = number(fields.from, -Infinity), last = number(fields.to, Infinity);
    var subject = bot >= 0 || seatWanted >= 0;
    var list = [];
    if (words.length && !texts) texts = data.match.map(function (_, row) { return textOf(row); });

    function fault(row, seat) {
      if (!kind) return true;
      var has = faults[row] || {};
      if (subject) return kind === "none" ? !(seat in has) : seat in has && (kind === "any" || data.faults[has[seat]][0] === kind);
      var all = Object.keys(has);
      if (kind === "none") return !all.length;
      return all.some(function (at) { return kind === "any" || data.faults[has[at]][0] === kind; });
    }

    function fits(row, seat) {
      if (seatWanted >= 0 && seat !== seatWanted) return false;
      if (bot >= 0 && data.bot[row * seatCount + seat] !== bot) return false;
      if (wanted && outcome(row, seat) !== wanted) return false;
      if (!fault(row, seat)) return false;
      if (opponent < 0) return true;
      for (var other = 0; other < seatCount; other++) {
        if (other !== seat && data.bot[row * seatCount + other] === opponent) return true;
      }
      return false;
    }

    for (var row = 0; row < data.match.length; row++) {
      if (end >= 0 && data.end[row] !== end) continue;
      if (data.length[row] < low || data.length[row] > high) continue;
      if (data.round[row] < first || data.round[row] > last) continue;
      if (words.length && !words.every(function (word) { return texts[row].indexOf(word) >= 0; })) continue;
      for (var seat = 0; seat < seatCount; seat++) {
        if (fits(row, seat)) {
          list.push(row);
          break;
        }
      }
    }
    if (sort.key !== "match" || sort.down) {
      var column = data[sort.key];
      list.sort(function (a, b) {
        return (sort.down ? -1 : 1) * (column[a] - column[b]) || a - b;
      });
    }
    return list;
  }

  function make(tag, className, text) {
    var made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function seatItem(row, seat) {
    var at = row * seatCount + seat;
    var item = make("li", look(row, seat));
    var chip = make("i", "c c-" + data.seats[seat][1] + " c-at-" + (seat + 1));
    chip.setAttribute("role", "img");
    chip.title = data.seats[seat][0];
    var link = make("a", "who");
    link.href = data.bots[data.bot[at]][1];
    link.appendChild(make("bdi", "", data.bots[data.bot[at]][0]));
    [chip, " ", link, " ", make("b", "", result(row, seat))].forEach(add, item);
    if (faults[row] && seat in faults[row]) {
      [" ", make("span", "fault", data.faults[faults[row][seat]][0])].forEach(add, item);
    }
    return item;
  }

  function add(node) {
    this.appendChild(typeof node === "string" ? document.createTextNode(node) : node);
  }

  function line(row) {
    var made = make("tr", isVoid[row] ? "is-void" : "");
    var cell = make("td", "n");
    if (unpaged[row]) cell.textContent = data.match[row];
    else {
      var link = make("a", "", data.match[row]);
      link.href = "matches/" + data.match[row] + ".html";
      cell.appendChild(link);
    }
    var seats = make("td");
    var list = make("ul", "seats");
    for (var seat = 0; seat < seatCount; seat++) list.appendChild(seatItem(row, seat));
    seats.appendChild(list);
    var end = make("td", "", data.ends[data.end[row]]);
    if (isVoid[row]) [" ", make("span", "fault", "void")].forEach(add, end);
    var at = make("td", "hush nowrap", where(row) + " ");
    at.appendChild(make("small", "", game(row)));
    [cell, at, seats, end, make("td", "n", data.length[row])].forEach(add, made);
    return made;
  }

  function show() {
    var last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
    page = Math.max(0, Math.min(page, last));
    var rows = document.createDocumentFragment();
    found.slice(page * PAGE, (page + 1) * PAGE).forEach(function (row) {
      rows.appendChild(line(row));
    });
    body.textContent = "";
    body.appendChild(rows);
    count.textContent = found.length.toLocaleString("en") + " of " + data.match.length.toLocaleString("en") + " matches";
    pager.hidden = !last;
    pager.querySelector("output").textContent = "Page " + (page + 1) + " of " + (last + 1);
    Array.prototype.forEach.call(pager.querySelectorAll("button"), function (button) {
      var step = button.dataset.step;
      button.disabled = step === "first" || step === "back" ? !page : page === last;
    });
    Array.prototype.forEach.call(heads, function (head) {
      if (head.dataset.sort === sort.key) head.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }

  function update() {
    found = select();
    show();
  }

  function remember() {
    var parts = Object.keys(fields).filter(function (name) { return fields[name].value !== ""; });
    parts = parts.map(function (name) { return name + "=" + encodeURIComponent(fields[name].value); });
    if (sort.key !== "match" || sort.down) parts.push("sort=" + (sort.down ? "-" : "") + sort.key);
    if (page) parts.push("page=" + (page + 1));
    try {
      history.replaceState(null, "", parts.length ? "#" + parts.join("&") : location.pathname + location.search);
    } catch (error) {
      /* A page that is no document of its own has no address: then the filter lasts as long as the page. */
    }
  }

  function recall() {
    var given = {};
    location.hash.slice(1).split("&").forEach(function (part) {
      var at = part.indexOf("=");
      try {
        if (at > 0) given[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1).replace(/\+/g, " "));
      } catch (error) {
        /* A malformed part counts as absent. */
      }
    });
    Object.keys(fields).forEach(function (name) {
      fields[name].value = given[name] || "";
      if (fields[name].selectedIndex < 0) fields[name].value = "";
    });
    var wanted = (given.sort || "").replace(/^-/, "");
    var known = ["match", "round", "length"].indexOf(wanted) >= 0;
    sort = { key: known ? wanted : "match", down: known && given.sort.charAt(0) === "-" };
    page = given.page ? parseInt(given.page, 10) - 1 || 0 : Number(form.dataset.start) / PAGE || 0;
  }

  function refilter() {
    page = 0;
    update();
    remember();
  }

  data.bots.forEach(function (bot) {
    option(fields.bot, bot[2], bot[0]);
    option(fields.opponent, bot[2], bot[0]);
  });
  data.seats.forEach(function (seat, index) {
    option(fields.seat, String(index + 1), index + 1 + " " + seat[0]);
  });
  data.ends.forEach(function (end) {
    option(fields.end, end, end);
  });
  data.faults.forEach(function (kind) {
    option(fields.fault, kind[0], kind[1]);
  });
  Array.prototype.forEach.call(heads, function (head) {
    var button = make("button", "sort");
    button.type = "button";
    while (head.firstChild) button.appendChild(head.firstChild);
    head.appendChild(button);
    button.addEventListener("click", function () {
      var key = head.dataset.sort;
      sort = { key: key, down: sort.key === key ? !sort.down : key === "length" };
      refilter();
    });
  });
  pager.addEventListener("click", function (event) {
    var step = event.target.dataset && event.target.dataset.step;
    if (!step) return;
    page = { first: 0, back: page - 1, next: page + 1, last: Infinity }[step];
    show();
    remember();
  });
  form.addEventListener("input", refilter);
  form.addEventListener("submit", function (event) {
    event.preventDefault();
  });
  form.addEventListener("reset", function () {
    setTimeout(refilter, 0);
  });
  addEventListener("hashchange", function () {
    recall();
    update();
  });
  Array.prototype.forEach.call(document.querySelectorAll("nav.static"), function (nav) {
    nav.hidden = true;
  });
  form.hidden = false;
  recall();
  update();
})();
