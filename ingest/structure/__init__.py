"""Sections, questions, options, types and points out of lines in reading order."""
