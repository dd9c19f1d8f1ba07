"""Parts that several pages of leads use."""
