/* The theme: the system's, or the reader's choice, which is stored if the browser stores data for files. */
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("js");

  function kept() {
    try {
      return localStorage.getItem("tourney-theme");
    } catch (error) {
      return null;
    }
  }

  function keep(theme) {
    try {
      localStorage.setItem("tourney-theme", theme);
    } catch (error) {
      /* Without storage, the choice lasts as long as the page. */
    }
  }

  var theme = kept();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  document.addEventListener("DOMContentLoaded", function () {
    var button = document.querySelector("button.theme");
    button.hidden = false;
    button.addEventListener("click", function () {
      var system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      var now = root.dataset.theme || system;
      root.dataset.theme = now === "dark" ? "light" : "dark";
      keep(root.dataset.theme);
    });
  });
})();
