"""Roles of sources; keys, mark schemes and solutions; answers aligned with questions; rules."""
