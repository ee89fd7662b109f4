"""The one seam to language models: requests, providers, the call cache, many calls at once."""
