"""What the workflow's rules ask: the config, the jobs, and the files that a rule needs."""
