/* Buttons that save a match's record (JSON) and its actions (CSV) from the page's own data. */
(function () {
  "use strict";
  var element = document.getElementById("saved");
  if (!element) return;
  var saved = JSON.parse(element.textContent);

  function cell(value) {
    if (value === null || value === undefined) return "";
    var text = String(value);
    /* A spreadsheet would run it as a formula. */
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }

  function csv() {
    var head = ["ply", "seat", "action", "note"].concat(saved.times ? ["time_ms"] : []);
    var rows = saved.record.actions.map(function (action, index) {
      var ply = index + 1;
      var note = action[0] === 0 ? "chance" : saved.notes[ply] || "";
      return [ply, action[0], action[1], note].concat(saved.times ? [saved.times[index]] : []);
    });
    return [head].concat(rows).map(function (row) {
      return row.map(cell).join(",") + "\n";
    }).join("");
  }

  var kinds = {
    json: { type: "application/json", text: function () { return JSON.stringify(saved.record) + "\n"; } },
    csv: { type: "text/csv", text: csv }
  };

  Array.prototype.forEach.call(document.querySelectorAll("[data-save]"), function (button) {
    var kind = kinds[button.dataset.save];
    button.hidden = false;
    button.addEventListener("click", function () {
      var link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([kind.text()], { type: kind.type }));
      link.download = saved.name + "." + button.dataset.save;
      link.click();
      setTimeout(function () {
        URL.revokeObjectURL(link.href);
      }, 1000);
    });
  });
  window.TourneySaved = { csv: csv, record: saved.record };
})();
