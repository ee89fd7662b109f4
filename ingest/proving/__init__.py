"""Proof of an exam's every word against the pages that it was read from, whoever read it."""
