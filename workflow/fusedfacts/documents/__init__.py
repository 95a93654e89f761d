"""JSON, schemas and files: what is read from disk, and how it is written."""
