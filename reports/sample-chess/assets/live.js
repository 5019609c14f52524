/* Reloads a page of a running tournament once it has changed, while the reader does nothing with it.

   What the reader has opened, chosen, sorted and scrolled to is the same after it. */
(function () {
  "use strict";
  var QUIET = 3000;
  var script = document.currentScript;
  var page = script.dataset.page;
  var base = script.dataset.base;
  var key = "tourney-live " + page;
  var first = window.TourneyLive;
  var banner = document.getElementById("live");
  var touched = 0;
  var due = false;
  if (!first || !banner) return;

  function all(selector) {
    return Array.prototype.slice.call(document.querySelectorAll(selector));
  }

  function say(state) {
    banner.textContent = state.said;
    banner.hidden = false;
  }

  function sorted() {
    return all("table.sortable").map(function (table) {
      var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
      var at = heads.findIndex(function (head) {
        return head.hasAttribute("aria-sort");
      });
      return at < 0 ? null : [at, heads[at].getAttribute("aria-sort")];
    });
  }

  function keep() {
    var state = {
      place: [scrollX, scrollY],
      open: all("details").map(function (details) { return details.open; }),
      fields: all("main input, main select").map(function (field) {
        return field.type === "radio" || field.type === "checkbox" ? field.checked : field.value;
      }),
      scrolled: all(".scroll").map(function (region) { return [region.scrollLeft, region.scrollTop]; }),
      sorted: sorted()
    };
    try {
      sessionStorage.setItem(key, JSON.stringify(state));
    } catch (error) {
      /* Without storage the page still reloads; the browser keeps at least the scroll position. */
    }
  }

  function restore() {
    var state = null;
    try {
      state = JSON.parse(sessionStorage.getItem(key));
      sessionStorage.removeItem(key);
    } catch (error) {
      return;
    }
    if (!state) return;
    all("details").forEach(function (details, index) {
      if (index < state.open.length) details.open = state.open[index];
    });
    var fields = all("main input, main select");
    if (fields.length === state.fields.length && !document.querySelector("form.filter")) {
      fields.forEach(function (field, index) {
        if (field.type === "radio" || field.type === "checkbox") field.checked = state.fields[index];
        else field.value = state.fields[index];
      });
    }
    all("table.sortable").forEach(function (table, index) {
      var wanted = state.sorted[index];
      var head = wanted && table.tHead.rows[0].cells[wanted[0]];
      var button = head && head.querySelector("button");
      for (var k = 0; button && k < 2 && head.getAttribute("aria-sort") !== wanted[1]; k++) button.click();
    });
    all(".scroll").forEach(function (region, index) {
      if (state.scrolled[index]) region.scrollTo(state.scrolled[index][0], state.scrolled[index][1]);
    });
    scrollTo(state.place[0], state.place[1]);
  }

  function busy() {
    var focused = document.activeElement;
    var selection = getSelection();
    return (
      document.hidden ||
      Date.now() - touched < QUIET ||
      (focused && /^(INPUT|SELECT|TEXTAREA)$/.test(focused.tagName)) ||
      (selection && !selection.isCollapsed)
    );
  }

  function reload() {
    if (!due || busy()) return;
    keep();
    location.reload();
  }

  function compare(state) {
    if (!state || !state.pages) return;
    if (state.over || state.pages[page] !== first.pages[page]) due = true;
    else say(state);
    reload();
  }

  function look() {
    var element = document.createElement("script");
    element.src = base + "data/live.js?" + Date.now();
    element.onload = function () {
      element.remove();
      compare(window.TourneyLive);
    };
    element.onerror = function () {
      element.remove();
    };
    document.head.appendChild(element);
  }

  ["scroll", "pointerdown", "keydown", "wheel"].forEach(function (name) {
    addEventListener(name, function () {
      touched = Date.now();
    }, { passive: true, capture: true });
  });
  document.addEventListener("visibilitychange", function () {
    if (!document.hidden) look();
  });
  say(first);
  restore();
  setInterval(look, 1000 * Math.max(5, Math.min(300, first.seconds)));
  setInterval(reload, 1000);
  window.TourneyLook = look;
})();
