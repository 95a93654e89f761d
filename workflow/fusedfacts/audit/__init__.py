"""The audit: what is published against its sources (quick), or against a fresh build (full).

- `subject` reads everything published, before anything else happens; `rules` says what a check is
  and runs it; `run` lists the checks and is the whole of an audit.
- Quick: `facts_file`, `verdicts`, `sources`, `folder`, `rendered`.
- Full: `build` builds elsewhere; `leaves` and `fresh` compare class by class.
- `claim` looks one claim up and makes it again; `report` writes an audit down.
"""
