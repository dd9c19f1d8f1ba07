"""Ten tasks of a newcomer, done in a browser as a person would: `make journeys`."""
