"""What this machine has and what is in the way: `fusedfacts doctor`.

Each module looks at one thing and gives `Finding`s, each with its mend. They rest on Python's own
library alone, because they must answer where nothing is installed yet.
"""
