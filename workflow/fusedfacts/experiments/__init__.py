"""The sections of facts.json: what is computed, and the claims that follow from it."""
