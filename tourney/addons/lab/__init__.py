"""The add-on of questions about bots: comparisons, gates, ladders, tuning, and analyses of their games."""

from tourney.plugins import Addon, Command

ADDON = Addon(
    formats={
        "compare": "tourney.addons.lab.comparison:ComparisonFormat",
        "gate": "tourney.addons.lab.gate:GateFormat",
        "ladder": "tourney.addons.lab.ladder:LadderFormat",
        "tune": "tourney.addons.lab.tuning:TuneFormat",
    },
    tournament_checks={"compare": "tourney.addons.lab.comparison:wrong_verdict"},
    commands={
        "compare": Command(
            "tourney.addons.lab.commands.compare:command",
            "Find out whether bot A is better than bot B.",
            "Bots",
        ),
        "gate": Command(
            "tourney.addons.lab.commands.gate:command",
            "Accept or reject a bot by games against baselines, for CI.",
            "Bots",
        ),
        "ladder": Command(
            "tourney.addons.lab.commands.ladder:command",
            "Place a bot among rated bots of all strengths.",
            "Bots",
        ),
        "tune": Command(
            "tourney.addons.lab.commands.tune:command",
            "Tune the parameters of a bot; ends in a gate.",
            "Bots",
        ),
        "analyze": Command(
            "tourney.addons.lab.commands.analyze:command",
            "Value every position of matches by a reference bot.",
            "Matches",
        ),
        "positions": Command(
            "tourney.addons.lab.commands.positions:command",
            "Show what a bot met in its games, and where it loses.",
            "Matches",
        ),
        "debug": Command(
            "tourney.addons.lab.commands.debug:command",
            "Run your program on a seat of a recorded match, under a debugger.",
            "Matches",
        ),
        "bots baselines": Command(
            "tourney.addons.lab.commands.bots.baselines:command",
            "List the bots that `tourney gate` compares candidates with.",
        ),
        "bots promote": Command(
            "tourney.addons.lab.commands.bots.promote:command",
            "Make a bot a baseline of a game, which `tourney gate` compares candidates with.",
        ),
        "bots test": Command(
            "tourney.addons.lab.commands.bots.test:command",
            "Play the dialogue in FILE with a bot, and compare what it says.",
        ),
    },
)
