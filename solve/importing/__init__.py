"""Answers that another harness collected, as answer sheets: tables, inspect_ai logs, lm-eval samples."""
