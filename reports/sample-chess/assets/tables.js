/* Tables: sorting by a click on a heading. */
(function () {
  "use strict";

  function value(row, index) {
    var text = row.cells[index].dataset.sort || row.cells[index].textContent.trim();
    var number = parseFloat(text.replace("\u2212", "-").replace(/,/g, ""));
    return isNaN(number) ? text.toLowerCase() : number;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function sortable(table) {
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    var body = table.tBodies[0];
    heads.forEach(function (head, index) {
      if (head.dataset.sort === "none") return;
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var numbers = head.classList.contains("n") && index > 0;
        var up = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "descending" : !numbers;
        heads.forEach(function (other) {
          other.removeAttribute("aria-sort");
        });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        Array.prototype.slice
          .call(body.rows)
          .map(function (row, place) {
            return { row: row, place: place, value: value(row, index) };
          })
          .sort(function (a, b) {
            return (up ? 1 : -1) * compare(a.value, b.value) || a.place - b.place;
          })
          .forEach(function (entry) {
            body.appendChild(entry.row);
          });
      });
    });
  }

  Array.prototype.forEach.call(document.querySelectorAll("table.sortable"), sortable);
})();

/* The list of tournaments: a search over all its words, and filters. */
(function () {
  "use strict";

  const form = document.getElementById("filter");
  const body = document.getElementById("tournaments");
  if (!form || !body) return;
  const rows = Array.from(body.rows);
  const find = document.getElementById("find");
  const game = document.getElementById("of-game");
  const format = document.getElementById("of-format");

  function apply() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach(function (row) {
      const text = row.textContent.toLowerCase();
      const fits =
        (!game.value || row.dataset.game === game.value) &&
        (!format.value || row.dataset.format === format.value) &&
        words.every(function (word) {
          return text.includes(word);
        });
      row.hidden = !fits;
      shown += fits;
    });
    document.getElementById("found").textContent = shown === rows.length ? "" : shown + " of " + rows.length;
  }

  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", function (event) {
    event.preventDefault();
  });
})();
