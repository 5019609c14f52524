"""The add-on of chess: chess, Chess960 and fairy variants, engines by UCI and xboard, PGN."""

from tourney.plugins import Addon

ADDON = Addon(
    games={
        "chess": "tourney.addons.chess.game:Chess",
        "chess960": "tourney.addons.chess.game:Chess960",
    },
    game_families={"fairy": "tourney.addons.chess.fairy:Fairy"},
    game_files={
        "chess": "tourney.addons.chess.pgn:game_text",
        "chess960": "tourney.addons.chess.pgn:game_text",
    },
    protocols={
        "uci": "tourney.addons.chess.uci:UciProtocol",
        "uci-fen": "tourney.addons.chess.uci:UciFenProtocol",
        "xboard": "tourney.addons.chess.xboard:XboardProtocol",
    },
)
