"""The floor of a web request: a session, one INSERT, one small template, and nothing else."""
