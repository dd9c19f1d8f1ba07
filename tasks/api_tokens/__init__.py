"""Tokens of the API: the page on which leads make them, and the e-mail about an end."""
