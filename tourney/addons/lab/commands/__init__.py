"""The commands of the lab; ``tourney.addons.lab`` lists them."""
