"""The sample exam that ships with the package."""
