/* Two matches of one seed side by side: the other match's page, with its board alone, in a frame that follows this
   page's action. Pages in a folder cannot read each other, so the two talk by messages.

   var comparison = TourneyCompare(cockpit, {make, number, difference, go, closed}); comparison.show(ply), .close() */
(function () {
  "use strict";

  window.TourneyCompare = function (cockpit, options) {
    const make = options.make;
    const item = document.querySelector('.mates li[data-match="' + options.number + '"]');
    const frame = make("iframe", {
      src: options.number + ".html#ply=0&solo",
      title: "The board of match " + options.number,
    });
    const close = make("button", { type: "button", class: "close" }, "Close");
    const link = make("a", { href: options.number + ".html" }, "Match " + options.number);
    const bar = make("p", { class: "bar" }, link, " ");
    let loaded = false;
    let ply = 0;

    if (options.difference) {
      const jump = make("button", { type: "button" }, "First different action: " + options.difference);
      jump.addEventListener("click", function () {
        options.go(options.difference);
      });
      bar.append(jump, " ");
    } else {
      bar.append("The same actions. ");
    }
    bar.append(close);
    const said = item && item.querySelector(".hush");
    const section = make("section", { class: "other", "aria-label": "Match " + options.number }, bar, frame);
    if (said) section.append(make("p", { class: "hush" }, said.textContent));
    document.getElementById("stage").after(section);
    cockpit.classList.add("comparing");

    function send() {
      link.setAttribute("href", options.number + ".html#ply=" + ply);
      if (loaded) frame.contentWindow.postMessage({ tourneyPly: ply }, "*");
    }

    frame.addEventListener("load", function () {
      loaded = true;
      send();
    });
    const comparison = {
      show: function (at) {
        ply = at;
        send();
      },
      close: function () {
        section.remove();
        cockpit.classList.remove("comparing");
        options.closed();
      },
    };
    close.addEventListener("click", comparison.close);
    return comparison;
  };
})();
