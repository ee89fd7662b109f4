"""From PDF pages to a bundle: pages, reading order, structure, figures, keys, proof."""
