"""The audit: what is published against its sources (quick), or against a fresh build (full).

- `subject` reads everything published, before anything else happens; `checks` says what a check
  is and runs them.
- Quick: `folder`, `sources`, `facts_file`, `counted`, `verdicts`, `told`, `documents`; `quick`
  lists them.
- Full: `scratch` builds afresh elsewhere; `leaves` and `fresh` compare class by class.
- `report` writes it down.
"""
