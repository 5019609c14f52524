"""The process that draws charts: a request per line in, a JSON line with the result out.

The library brings a JavaScript engine with threads and 100 MB of memory, which do not belong into a process
that forks workers or plays matches. Started by ``tourney.report.charts.vega``; ends with its input.
"""

import json
import os
import sys
from base64 import b64encode
from collections.abc import Iterable
from functools import lru_cache
from typing import IO, Any

import vl_convert

from tourney.report.charts.vega import VEGA_LITE


@lru_cache(maxsize=64)
def _compiled(text: str) -> str:
    """Return the Vega specification of a Vega-Lite one, both as JSON."""
    return json.dumps(vl_convert.vegalite_to_vega(json.loads(text), vl_version=VEGA_LITE))


def draw(spec: dict[str, Any]) -> str:
    """Return a chart as SVG; charts that differ in their values alone are compiled once."""
    values = spec.get("data", {}).get("values", [])
    vega = json.loads(_compiled(json.dumps({**spec, "data": {"values": []}})))
    vega["data"][0]["values"] = values
    return str(vl_convert.vega_to_svg(vega))


def answer(lines: Iterable[bytes], out: IO[bytes]) -> None:
    """Write an object for each line.

    The answer to ``chart``, a Vega-Lite specification, is ``svg``; that to ``picture``, an SVG, is ``png`` in
    base64; ``error`` says why something cannot be drawn.
    """
    for line in lines:
        request = json.loads(line)
        try:
            if "picture" in request:
                found = {"png": b64encode(vl_convert.svg_to_png(request["picture"])).decode("ascii")}
            else:
                found = {"svg": draw(request["chart"])}
        except ValueError as error:
            found = {"error": str(error)}
        out.write(json.dumps(found).encode("ascii") + b"\n")
        out.flush()


if __name__ == "__main__":
    # What the library prints goes to standard error: the answers have a descriptor of their own.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        answer(sys.stdin.buffer, answers)
