"""Sandbox ."""
