/* The replay: steps through the frames in the page's JSON data. It knows nothing about games: a frame holds the
   positions of sprites, as differences to the previous frame (for the format, see tourney/report/replays/replay.py). */
(function () {
  "use strict";

  var data = JSON.parse(document.getElementById("replay-data").textContent);
  var last = data.frames.length - 1;
  var frames = unfold(data);
  var ply = last;
  var timer = null;
  var resting = null;

  var svgNamespace = "http://www.w3.org/2000/svg";
  var pieces = document.getElementById("pieces");
  var ground = document.getElementById("ground");
  var changed = document.getElementById("changed");
  var said = document.getElementById("board-said");
  var notes = document.getElementById("notes");
  var position = document.getElementById("position");
  var moves = document.getElementById("moves");
  var slider = document.getElementById("slider");
  var now = document.getElementById("now");
  var play = document.getElementById("play");
  var speed = document.getElementById("speed");
  var plots = Array.prototype.slice.call(document.querySelectorAll("figure.over"));

  function splice(text, edit) {
    return text.slice(0, edit[0]) + edit[2] + text.slice(text.length - edit[1]);
  }

  function splices(texts, edits) {
    return edits.map(function (edit, index) {
      return edit ? splice(texts[index] || "", edit) : texts[index];
    });
  }

  function unfold(data) {
    var things = [];
    var fields = [];
    var lines = [];
    var rows = {};
    var whole = null;
    return data.frames.map(function (frame) {
      if (frame.f) things = frame.f.slice();
      if (frame.d) {
        things = things.filter(function (thing) {
          return frame.d.indexOf(thing) < 0;
        });
      }
      var k;
      if (frame.a) {
        things = things.slice();
        for (k = 0; k < frame.a.length; k += 2) things.splice(frame.a[k], 0, frame.a[k + 1]);
      }
      if (frame.p) fields = splices(fields, frame.p);
      if (frame.n) lines = splices(lines, frame.n);
      if (frame.w !== undefined) whole = frame.w;
      if (frame.r) {
        whole = null;
        rows = {};
      }
      if (frame.g) {
        rows = Object.assign({}, rows);
        for (k = 0; k < frame.g.length; k += 2) rows[frame.g[k]] = frame.g[k + 1];
      }
      var markup = "";
      for (var row in rows) markup += rows[row];
      return {
        things: things,
        position: fields.join(" "),
        lines: lines,
        whole: whole !== null,
        ground: whole === null ? markup : whole,
      };
    });
  }

  function draw(frame) {
    if (pieces) {
      pieces.textContent = "";
      frame.things.forEach(function (thing) {
        var use = document.createElementNS(svgNamespace, "use");
        use.setAttribute("href", "#s" + data.things[3 * thing]);
        use.setAttribute("x", data.things[3 * thing + 1]);
        use.setAttribute("y", data.things[3 * thing + 2]);
        pieces.appendChild(use);
      });
      ground.style.display = frame.whole ? "none" : "";
      if (ground.dataset.over !== frame.ground) {
        changed.innerHTML = frame.ground;
        ground.dataset.over = frame.ground;
      }
    }
    notes.textContent = "";
    frame.lines.forEach(function (line) {
      var item = document.createElement("li");
      var isolated = document.createElement("bdi");
      isolated.textContent = line;
      item.appendChild(isolated);
      notes.appendChild(item);
    });
    position.textContent = frame.position;
  }

  function entry(at) {
    return document.getElementById("ply-" + at);
  }

  function show(at, keepHash) {
    ply = Math.max(0, Math.min(last, at));
    draw(frames[ply]);
    slider.value = ply;
    var old = moves.querySelector("[aria-current]");
    if (old) old.removeAttribute("aria-current");
    var item = entry(ply);
    var words = ply === 0 ? "start" : item.querySelector("span").textContent;
    item.setAttribute("aria-current", "true");
    var above = item.offsetTop;
    if (above < moves.scrollTop + 40 || above > moves.scrollTop + moves.clientHeight - 60) {
      moves.scrollTop = above - moves.clientHeight / 2;
    }
    var text = (ply === 0 ? "Start" : "After action " + ply + ": " + words) + " (" + ply + " of " + last + ")";
    now.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    if (said) said.textContent = "The board. " + text;
    plots.forEach(function (figure) {
      var line = figure.querySelector(".cursor");
      var left = +line.dataset.left;
      var x = left + (ply / Math.max(1, +figure.dataset.last)) * (+line.dataset.right - left);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
      line.setAttribute("visibility", "visible");
    });
    if (!keepHash) address();
  }

  /* Update the address with a delay: browsers limit the rate of changes. */
  function address() {
    if (resting !== null) clearTimeout(resting);
    resting = setTimeout(function () {
      resting = null;
      try {
        history.replaceState(null, "", "#ply-" + ply);
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

  function go(where) {
    if (where === "play") {
      if (timer === null) start();
      else pause();
      return;
    }
    pause();
    show({ first: 0, back: ply - 1, next: ply + 1, last: last }[where]);
  }

  function faster(steps) {
    speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + steps));
    if (timer !== null) start();
  }

  var keys = {
    ArrowLeft: "back",
    ArrowRight: "next",
    Home: "first",
    End: "last",
    " ": "play",
  };

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    var tag = event.target.tagName;
    if (tag === "SELECT" || (tag === "INPUT" && event.target.type !== "range")) return;
    if (event.key === " " && (tag === "BUTTON" || tag === "SUMMARY" || tag === "A")) return;
    if (keys[event.key]) go(keys[event.key]);
    else if (event.key === "+" || event.key === "=") faster(1);
    else if (event.key === "-") faster(-1);
    else return;
    event.preventDefault();
  });

  document.querySelector(".buttons").addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (button) go(button.dataset.go);
  });
  slider.addEventListener("input", function () {
    pause();
    show(+slider.value);
  });
  speed.addEventListener("change", function () {
    faster(0);
  });

  function fromHash() {
    var match = /^#ply-(\d+)$/.exec(location.hash);
    return match ? Math.min(+match[1], last) : null;
  }

  document.addEventListener("click", function (event) {
    var link = event.target.closest('a[href^="#ply-"]');
    if (!link) return;
    event.preventDefault();
    pause();
    show(+link.getAttribute("href").slice(5));
    if (!moves.contains(link)) document.getElementById("replay").scrollIntoView({ block: "nearest" });
  });
  plots.forEach(function (figure) {
    figure.addEventListener("click", function (event) {
      var svg = figure.querySelector("svg");
      var line = figure.querySelector(".cursor");
      var box = svg.getBoundingClientRect();
      var x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      var share = (x - line.dataset.left) / (line.dataset.right - line.dataset.left);
      pause();
      show(Math.round(Math.max(0, Math.min(1, share)) * +figure.dataset.last));
    });
  });
  window.addEventListener("hashchange", function () {
    var at = fromHash();
    if (at !== null) show(at, true);
  });

  document.getElementById("controls").hidden = false;
  document.getElementById("keys").hidden = false;
  var at = fromHash();
  show(at === null ? last : at, true);
  if (at !== null) {
    /* The browser scrolls to the action in the list; scroll back to the board. */
    window.addEventListener("load", function () {
      setTimeout(function () {
        document.getElementById("replay").scrollIntoView({ block: "start" });
      }, 0);
    });
  }
})();
