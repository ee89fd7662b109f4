"""Prompts as code: one readable text per module, the schema of its reply beside it."""
