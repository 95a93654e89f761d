"""The published folder: what is in it, where it came from, and how it is replaced."""
