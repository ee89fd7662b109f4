"""Collections of bundles: the sample exam, the catalogue of known benchmarks, publishing."""
