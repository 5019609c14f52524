/* The plots of a match, which the page has as charts: marks the current action in them, goes to the action of a
   click, adds tables, and remembers which plots are open.

   var plots = TourneyPlots(cockpit); plots.show(ply). For the cockpit's fields, see replay.js. */
(function () {
  "use strict";

  window.TourneyPlots = function (cockpit) {
    const make = cockpit.make;
    const all = Array.from(document.querySelectorAll(".plots [data-plot]"), function (details) {
      return { name: details.dataset.plot, details: details, svg: details.querySelector(".chart") };
    });

    /* The chance to win that an info tells, or null: chance_in of tourney/bots/win_chance.py. */
    function chance(values) {
      const said = Object.fromEntries(values);
      if (typeof said.win === "number") return said.win;
      if (typeof said.mate === "number") return said.mate > 0 ? 1 : 0;
      return typeof said.score === "number" ? (said.score + 1) / 2 : null;
    }

    /* The values of a plot: by ply, those of each seat. */
    function values(name) {
      const rows = new Map();
      function put(ply, seat, value) {
        if (typeof value !== "number") return;
        if (!rows.has(ply)) rows.set(ply, {});
        rows.get(ply)[seat] = value;
      }
      /* A plot of one bot's scores: these are from its own point of view. */
      const alone = /^score-(\d+)$/.exec(name);
      cockpit.seats.forEach(function (_, seat) {
        if (alone && +alone[1] !== seat + 1) return;
        if (name === "analysis") {
          cockpit.chances.forEach(function (each) {
            if (each[1] === seat + 1) put(each[0], seat, Math.round(each[2] * 10) / 10);
          });
        } else if (name === "time") {
          cockpit.times.forEach(function (time, k) {
            if (cockpit.actors[k] === seat + 1) put(k + 1, seat, time);
          });
        } else if (name === "clock") {
          cockpit.clocks.forEach(function (left, ply) {
            put(ply, seat, left[seat] / 1000);
          });
        } else if (name === "win") {
          (cockpit.info[seat + 1] || []).forEach(function (entry) {
            const told = chance(entry.values);
            const turned = seat === 1 && cockpit.seats.length === 2;
            if (told !== null) put(entry.ply, seat, Math.round(1000 * (turned ? 1 - told : told)) / 10);
          });
        } else {
          (cockpit.info[seat + 1] || []).forEach(function (entry) {
            entry.values.forEach(function (pair) {
              const turned = name === "score" && seat === 1 && cockpit.seats.length === 2 && typeof pair[1] === "number";
              if (pair[0] === (alone ? "score" : name.replace("info-", ""))) put(entry.ply, seat, turned ? -pair[1] || 0 : pair[1]);
            });
          });
        }
      });
      return Array.from(rows).sort(function (a, b) { return a[0] - b[0]; });
    }

    function table(plot) {
      const name = plot.name;
      const head = make("tr", {}, make("th", { scope: "col", class: "n" }, "Action"));
      cockpit.names.forEach(function (bot) {
        head.append(make("th", { scope: "col", class: "n" }, make("bdi", {}, bot)));
      });
      const body = make("tbody", {});
      values(name).forEach(function (row) {
        const link = make("a", { href: "#ply=" + Math.min(row[0], cockpit.last) }, String(row[0]));
        const line = make("tr", {}, make("th", { scope: "row", class: "n" }, link));
        cockpit.seats.forEach(function (_, seat) {
          line.append(make("td", { class: "n" }, seat in row[1] ? cockpit.grouped(row[1][seat]) : ""));
        });
        body.append(line);
      });
      return make("div", { class: "scroll values", tabindex: "0", role: "region", "aria-label": plot.details.querySelector("summary").textContent + " (table)" }, make("table", {}, make("thead", {}, head), body));
    }

    all.forEach(function (plot) {
      const frame = plot.svg.dataset.frame.split(" ").map(Number);
      const left = frame[0], right = frame[1], most = frame[5];
      plot.across = function (ply) { return left + (ply / most) * (right - left); };
      plot.cursor = document.createElementNS(plot.svg.namespaceURI, "line");
      plot.cursor.setAttribute("class", "cursor");
      plot.cursor.setAttribute("y1", frame[2]);
      plot.cursor.setAttribute("y2", frame[3]);
      plot.svg.append(plot.cursor);
      plot.svg.addEventListener("click", function (event) {
        const box = plot.svg.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * plot.svg.viewBox.baseVal.width;
        cockpit.go(Math.round(((x - left) / (right - left)) * most));
      });
      const more = make("details", {}, make("summary", {}, "Table"));
      more.addEventListener("toggle", function () {
        if (more.open && more.childElementCount < 2) more.append(table(plot));
      });
      /* The data have no luck, so that it has no table. */
      if (values(plot.name).length) plot.details.querySelector("figure").append(more);
    });

    /* Whether each plot is open, by its name, as a reader left it; another page may have other plots. */
    function chosen() {
      try {
        const found = JSON.parse(cockpit.kept("plots"));
        return found && !Array.isArray(found) ? found : {};
      } catch (error) {
        return {}; /* What an older page stored counts as nothing. */
      }
    }

    const first = chosen();
    all.forEach(function (plot) {
      if (plot.name in first) plot.details.open = first[plot.name];
      plot.details.addEventListener("toggle", function () {
        cockpit.keep("plots", JSON.stringify(Object.assign(chosen(), { [plot.name]: plot.details.open })));
      });
    });

    return {
      show: function (ply) {
        all.forEach(function (plot) {
          plot.cursor.setAttribute("x1", plot.across(ply));
          plot.cursor.setAttribute("x2", plot.across(ply));
        });
      },
    };
  };
})();
