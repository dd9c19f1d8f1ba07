"""The API for people who write programs: its page, and a client to download."""
