"""A published number with everything that is needed to check it and to doubt it."""
