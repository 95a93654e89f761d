"""Lies that somebody could plant, each in a scratch copy of the repository, and who sees them.

    PYTHONPATH=tests python -m support.lies           # write the table of docs/audit.md anew
    PYTHONPATH=tests python -m support.lies unit nan  # plant these, and say what is seen

A careless liar changes one thing. A careful one then makes everything else agree: claims, words,
pictures, page and documents are made again from the false facts, hashes in config and facts are
corrected, manifest and SHA256SUMS are written anew. What still gives a careful liar away is a
contradiction within what was published, or a fresh computation.
"""
