"""`python -m fusedfacts` is the command `fusedfacts`."""

from fusedfacts.cli.main import script

if __name__ == "__main__":
    script()
