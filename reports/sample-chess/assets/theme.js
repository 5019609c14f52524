/* The theme: the system's, or the reader's choice, which is stored if the browser stores data for files.
   The document receives "tourney:theme" when it changes; TourneyTheme gives its colors to charts. */
(function () {
  "use strict";
  var root = document.documentElement;
  var system = matchMedia("(prefers-color-scheme: dark)");
  root.classList.add("js");

  function stored() {
    try {
      return localStorage.getItem("tourney-theme");
    } catch (error) {
      return null;
    }
  }

  function store(theme) {
    try {
      localStorage.setItem("tourney-theme", theme);
    } catch (error) {
      /* Without storage, the choice lasts as long as the page. */
    }
  }

  function dark() {
    return (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  }

  /* The value of a color of style.css in the current theme, for example color("--ink"). */
  function color(name) {
    var probe = document.createElement("i");
    probe.style.color = "var(" + name + ")";
    root.appendChild(probe);
    var found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  function changed() {
    document.dispatchEvent(new CustomEvent("tourney:theme", {detail: {dark: dark()}}));
  }

  window.TourneyTheme = {dark: dark, color: color};

  var theme = stored();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  system.addEventListener("change", changed);

  /* Only regions that scroll are stops of the Tab key. */
  function stops() {
    document.querySelectorAll(".scroll").forEach(function (region) {
      var scrolls = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
      if (scrolls) region.tabIndex = 0;
      else if (region !== document.activeElement) region.removeAttribute("tabindex");
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    var button = document.querySelector("button.theme");
    button.hidden = false;
    button.addEventListener("click", function () {
      root.dataset.theme = dark() ? "light" : "dark";
      store(root.dataset.theme);
      changed();
    });
    var bar = document.querySelector(".top nav");
    var here = bar.querySelector("[aria-current]");
    if (here) bar.scrollLeft = here.offsetLeft - bar.offsetLeft - 16;
    stops();
    addEventListener("resize", stops);
  });
})();
