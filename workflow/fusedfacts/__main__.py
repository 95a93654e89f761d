"""`python -m fusedfacts` is the command `fusedfacts`."""

from fusedfacts.command.main import script

if __name__ == "__main__":
    script()
