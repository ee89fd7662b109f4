"""The draft becomes the bundle's records: ids, blocks, regions, coverage, proof."""
