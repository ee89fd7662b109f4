"""exam2bench: exam PDFs in, gradable benchmarks out."""

__version__ = "0.1.0"
