"""Bundles to and from other tools: any-to-bench, inspect_ai, lm-eval, EvalScope, QTI 3, tables of questions.

Each format is one module with `export(bundle, folder) -> findings`: it writes the files of its tool into an
empty folder and says, as findings, what that format cannot hold. Where the other tool lets its own code be
called (inspect_ai, lm-eval), the exported task grades through this package, so the points are the same points.
"""
