"""Known benchmarks: their extraction, metric and aggregation rules, equal to the reference implementations."""
