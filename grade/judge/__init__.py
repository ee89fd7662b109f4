"""Open answers graded by a model that only picks levels: per criterion, per sub-question, never a number of its own.

`task` says what is to be decided, `prompt`, `typed`, `small` and `uno` put it to a model, `verdicts` reads what comes
back, `panel` runs several judges over many answers, `results` turns verdicts into entries of a report.
"""
