"""The RO-Crate that describes the repository as a workflow, as linked data."""
