"""From an answer sheet to a report: rules, judges, statistics."""
