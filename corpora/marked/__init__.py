"""Answers that people have marked, as bundles: what `calibrate --marks` compares a judge with."""
