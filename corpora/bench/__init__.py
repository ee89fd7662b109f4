"""Every model on every bundle, and which differences between them are real."""
