"""Formulas as text where they read, and where they do not, said so."""
