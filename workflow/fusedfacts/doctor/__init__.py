"""What this machine has and what is in the way of a run: `fusedfacts doctor`.

It rests on Python's own library alone, because it must answer where nothing is installed yet.
"""
