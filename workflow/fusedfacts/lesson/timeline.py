"""When each scene begins, and what a caption may take of a viewer.

The starts are the film's plan; words are written to fit them, and a scene whose words do not fit
stops the build.
"""

from __future__ import annotations

STARTS = (0, 8, 32, 72, 112, 172, 188, 225, 265, 290)  # seconds
END = 307  # seconds
# At a scene's end nobody speaks for so long: a cut needs a breath.
# And after the question, so that a player that stops there does not show the answer already.
BREATH_MS = 800

LEAST_MS, MOST_MS = 1000, 7000  # of a cue
MOST_CHARACTERS_A_SECOND = 17
LINE_CHARACTERS = 42
LINES = 2


def clock(ms: int) -> str:
    """A time as a viewer reads it.

    >>> clock(72_000), clock(307_400)
    ('1:12', '5:07')
    """
    return f"{ms // 60_000}:{ms // 1000 % 60:02d}"
