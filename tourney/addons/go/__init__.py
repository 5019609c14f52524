"""The add-on of engines of go and gomoku: the protocols GTP and Gomocup."""

from tourney.plugins import Addon

ADDON = Addon(
    protocols={
        "gomocup": "tourney.addons.go.gomocup:GomocupProtocol",
        "gtp": "tourney.addons.go.gtp:GtpProtocol",
    }
)
