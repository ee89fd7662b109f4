"""Property tests draw the same examples in every run: what they find once becomes a test of its own."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
