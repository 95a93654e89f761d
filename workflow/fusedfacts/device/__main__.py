"""List the devices that a run can use.

python -m fusedfacts.device
"""

from __future__ import annotations

from fusedfacts.device import adapters
from fusedfacts.terminal import reporting


def main() -> None:
    """Print one line for each adapter; the first is what `adapter: any` takes."""
    adapters.choose()
    for adapter in adapters.available():
        print(adapters.describe(adapter))


if __name__ == "__main__":
    with reporting():
        main()
