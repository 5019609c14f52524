"""Checks of records by rules and dice, of tournaments by their plan, of databases; roots and proofs."""
