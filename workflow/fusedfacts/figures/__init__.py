"""Pictures as SVG with reproducible bytes."""
