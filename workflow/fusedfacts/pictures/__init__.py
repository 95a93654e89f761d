"""Pictures as SVG with reproducible bytes: `svg` writes, `chart` draws axes."""
