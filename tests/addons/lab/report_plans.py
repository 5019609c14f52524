"""A tournament of each format of the lab, for ``tests/report/test_formats.py``."""

from typing import Any

from tourney.addons.lab.gate import GateRule
from tourney.addons.lab.ladder import LadderRule
from tourney.addons.lab.tuning import TuneRule
from tourney.addons.lab.tuning_methods import SearchTerms, default_rate
from tourney.bots.catalogue.manifest import Parameter

NAMES = tuple("abc")
TERMS = SearchTerms(("x",), (Parameter(value=0, low=-9, high=9, step=3),), 3, 1, 1, default_rate(1))
PLANS: dict[str, dict[str, Any]] = {
    "ladder": {"format_": "ladder", "names": NAMES[:3], "extra": LadderRule((0, 10_000), games=8).extra()},
    "gate": {
        "format_": "gate",
        "names": NAMES[:3],
        "games": 4,
        "rounds": 2,
        "extra": GateRule(batch=2, max_faults=100).extra(),
    },
    "compare": {
        "format_": "compare",
        "names": NAMES[:2],
        "extra": (
            ("alpha", "0.05"),
            ("batch", 1),
            ("beta", "0.05"),
            ("elo0", "0.0"),
            ("elo1", "400.0"),
            ("max-pairs", 3),
        ),
    },
    "tune": {"format_": "tune", "names": NAMES[:2], "extra": TuneRule(TERMS, "spsa").extra()},
}
