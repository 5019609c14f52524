/* The plots of a match: the score and the time of each action and, on request, any number that bots printed. Each has
   its own scale, a cursor at the current action, a click that goes there, and a table.

   var plots = TourneyPlots(section, cockpit); plots.show(ply). For the cockpit's fields, see replay.js. */
(function () {
  "use strict";

  const svgNamespace = "http://www.w3.org/2000/svg";
  const width = 560;
  const height = 170;
  const left = 52;
  const right = width - 10;
  const top = 10;
  const bottom = height - 26;
  const mostBars = 600;

  function draw(tag, attributes, text) {
    const element = document.createElementNS(svgNamespace, tag);
    Object.keys(attributes).forEach(function (name) {
      element.setAttribute(name, attributes[name]);
    });
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function short(value) {
    const size = Math.abs(value);
    const unit = size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : size >= 1e4 ? [1e3, "k"] : [1, ""];
    return (+(value / unit[0]).toPrecision(3) + unit[1]).replace("-", "\u2212");
  }

  /* At most `most` round values from low to high. */
  function ticks(low, high, most) {
    let step = Math.pow(10, Math.floor(Math.log10((high - low) / most)));
    [1, 2, 5, 10].some(function (factor) {
      const fits = (high - low) / (step * factor) <= most;
      if (fits) step *= factor;
      return fits;
    });
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(+(k * step).toPrecision(12));
    return found;
  }

  /* Values of at most 20 times the median size: the score of a sure win would flatten all others. */
  function typical(values) {
    const sizes = values
      .map(Math.abs)
      .filter(Boolean)
      .sort(function (a, b) {
        return a - b;
      });
    const most = sizes.length ? 20 * sizes[sizes.length >> 1] : 0;
    return values.filter(function (value) {
      return Math.abs(value) <= most || !value;
    });
  }

  window.TourneyPlots = function (section, cockpit) {
    const make = cockpit.make;

    function empty(value) {
      return value === null || value === undefined || typeof value !== "number";
    }

    /* By name: {title, note, bars, clipped, series}; series holds a list of [ply, value] for each seat. */
    const known = {};
    const names = [];

    function add(name, plot) {
      const count = plot.series.reduce(function (sum, points) {
        return sum + points.length;
      }, 0);
      if (count < 2) return;
      known[name] = plot;
      names.push(name);
    }

    const keys = [];
    cockpit.seats.forEach(function (_, k) {
      (cockpit.info[k + 1] || []).forEach(function (entry) {
        entry.values.forEach(function (pair) {
          if (typeof pair[1] === "number" && keys.indexOf(pair[0]) < 0) keys.push(pair[0]);
        });
      });
    });

    function printed(key) {
      return cockpit.seats.map(function (_, k) {
        const points = [];
        (cockpit.info[k + 1] || []).forEach(function (entry) {
          entry.values.forEach(function (pair) {
            if (pair[0] === key && typeof pair[1] === "number") points.push([entry.ply, pair[1]]);
          });
        });
        return points;
      });
    }

    if (keys.indexOf("score") >= 0) {
      add("score", { title: "Score", note: "each bot's from its own point of view and in its own unit; outliers are at the edge", clipped: true, series: printed("score") });
    }
    add("time", {
      title: "Time per action",
      note: "milliseconds",
      bars: true,
      series: cockpit.seats.map(function (_, k) {
        return cockpit.times.reduce(function (points, time, at) {
          if (cockpit.actors[at] === k + 1 && !empty(time)) points.push([at + 1, time]);
          return points;
        }, []);
      }),
    });
    if (cockpit.clocks) {
      add("clock", {
        title: "Clock",
        note: "seconds left",
        series: cockpit.seats.map(function (_, k) {
          return cockpit.clocks.map(function (clocks, at) {
            return [at, clocks[k] / 1000];
          });
        }),
      });
    }
    keys.forEach(function (key) {
      if (key !== "score") add("info-" + key, { title: key, note: "as each bot printed it", series: printed(key) });
    });
    if (!names.length) return null;

    let chosen;
    try {
      chosen = JSON.parse(cockpit.kept("plots"));
    } catch (error) {
      chosen = null;
    }
    if (!Array.isArray(chosen)) chosen = ["score", "time"];

    if (!section) {
      section = make("section", { id: "plots", "aria-labelledby": "scores" }, make("div", { class: "head" }, make("h2", { id: "scores" }, "Scores and times")));
      document.getElementById("replay").after(section);
    }
    section.querySelector("h2").textContent = "What the bots reported";
    const picks = make("p", { class: "picks", role: "group", "aria-label": "Plots" });
    const place = make("div", { class: "plots" });
    section.append(picks, place);
    const cursors = [];
    let current = 0;
    const span = Math.max.apply(
      null,
      [1, cockpit.last].concat(
        names.map(function (name) {
          return Math.max.apply(
            null,
            known[name].series.map(function (points) {
              return points.length ? points[points.length - 1][0] : 0;
            })
          );
        })
      )
    );

    function across(at) {
      return left + (at / span) * (right - left);
    }

    function legend(name) {
      const caption = make("figcaption", { class: "hush" });
      known[name].series.forEach(function (points, k) {
        if (!points.length) return;
        const key = draw("svg", { viewBox: "0 0 26 10", class: "key", "aria-hidden": "true" });
        key.append(draw("path", { class: "line l-" + cockpit.seats[k][1], d: "M1 5H25" }));
        caption.append(key, " " + cockpit.seats[k][0] + " ");
      });
      caption.append("\u2013 " + known[name].note);
      return caption;
    }

    function chart(name) {
      const plot = known[name];
      const all = [].concat.apply([], plot.series).map(function (point) {
        return point[1];
      });
      const values = plot.clipped ? typical(all) : all;
      let low = Math.min.apply(null, [0].concat(values));
      let high = Math.max.apply(null, [0].concat(values));
      if (high - low < 1e-9) high = low + 1;
      if (!plot.bars) {
        const room = (high - low) * 0.05;
        if (low < 0) low -= room;
        high += room;
      }
      const down = function (value) {
        return bottom - ((Math.max(low, Math.min(high, value)) - low) / (high - low)) * (bottom - top);
      };
      const svg = draw("svg", {
        class: "plot",
        viewBox: "0 0 " + width + " " + height,
        role: "img",
        "aria-label": plot.title + " by action, from " + short(Math.min.apply(null, all)) + " to " + short(Math.max.apply(null, all)) + "; the table has all values",
      });
      ticks(low, high, 4).forEach(function (tick) {
        const y = down(tick).toFixed(1);
        svg.append(draw("line", { class: tick === 0 ? "zero" : "grid", x1: left, x2: right, y1: y, y2: y }));
        svg.append(draw("text", { class: "y", x: left - 6, y: y, dy: 4 }, short(tick)));
      });
      ticks(0, span, 8).forEach(function (tick) {
        if (tick === Math.floor(tick)) svg.append(draw("text", { class: "x", x: across(tick).toFixed(1), y: height - 6 }, short(tick)));
      });
      plot.series.forEach(function (points, k) {
        const style = "l-" + cockpit.seats[k][1];
        if (plot.bars && points.length <= mostBars) {
          const thick = Math.max(1, Math.min(9, ((right - left) / span) * 0.7));
          const path = points.map(function (point) {
            return "M" + across(point[0]).toFixed(1) + " " + down(0).toFixed(1) + "V" + Math.min(down(point[1]), down(0) - 1).toFixed(1);
          });
          svg.append(draw("path", { class: "bar " + style, "stroke-width": thick.toFixed(1), d: path.join("") }));
          return;
        }
        const places = points.map(function (point) {
          return across(point[0]).toFixed(1) + " " + down(point[1]).toFixed(1);
        });
        if (places.length) svg.append(draw("path", { class: "line " + style, d: "M" + places.join("L") }));
        if (places.length <= 80) {
          /* Lines of no length with round ends are dots. */
          svg.append(draw("path", { class: "dots " + style, d: places.map(function (at) {
            return "M" + at + "h0";
          }).join("") }));
        }
      });
      const cursor = draw("line", { class: "cursor", y1: top, y2: bottom });
      svg.append(cursor);
      cursors.push(cursor);
      svg.addEventListener("click", function (event) {
        const box = svg.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * width;
        cockpit.go(Math.round(((x - left) / (right - left)) * span));
      });
      return svg;
    }

    function table(name) {
      const plot = known[name];
      const body = make("tbody", {});
      const rows = {};
      plot.series.forEach(function (points, k) {
        points.forEach(function (point) {
          (rows[point[0]] = rows[point[0]] || {})[k] = point[1];
        });
      });
      Object.keys(rows).forEach(function (at) {
        const row = make("tr", {}, make("th", { scope: "row", class: "n" }, make("a", { href: "#ply=" + Math.min(at, cockpit.last) }, at)));
        cockpit.seats.forEach(function (_, k) {
          row.append(make("td", { class: "n" }, rows[at][k] === undefined ? "" : cockpit.grouped(rows[at][k])));
        });
        body.append(row);
      });
      const head = make("tr", {}, make("th", { scope: "col", class: "n" }, "Action"));
      cockpit.seats.forEach(function (seat) {
        head.append(make("th", { scope: "col", class: "n" }, seat[0]));
      });
      return make("div", { class: "scroll values", tabindex: "0", role: "region", "aria-label": plot.title + ": table" }, make("table", {}, make("thead", {}, head), body));
    }

    function figure(name) {
      const details = make("details", {}, make("summary", {}, "Table"));
      details.addEventListener("toggle", function () {
        if (details.open && details.childElementCount < 2) details.append(table(name));
      });
      return make("figure", { class: "over", "data-plot": name }, make("h3", {}, make("bdi", {}, known[name].title)), chart(name), legend(name), details);
    }

    function show(at) {
      current = at;
      cursors.forEach(function (cursor) {
        cursor.setAttribute("x1", across(at).toFixed(1));
        cursor.setAttribute("x2", across(at).toFixed(1));
      });
    }

    function render() {
      place.textContent = "";
      cursors.length = 0;
      names.forEach(function (name) {
        if (chosen.indexOf(name) >= 0) place.append(figure(name));
      });
      show(current);
    }

    names.forEach(function (name) {
      const pick = make("button", { type: "button", "aria-pressed": String(chosen.indexOf(name) >= 0) }, make("bdi", {}, known[name].title));
      pick.addEventListener("click", function () {
        const on = chosen.indexOf(name) < 0;
        chosen = on
          ? chosen.concat(name)
          : chosen.filter(function (each) {
              return each !== name;
            });
        pick.setAttribute("aria-pressed", String(on));
        cockpit.keep("plots", JSON.stringify(chosen.slice(-20)));
        render();
      });
      picks.append(pick);
    });
    render();
    return { show: show };
  };
})();
