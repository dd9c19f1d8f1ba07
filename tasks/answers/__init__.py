"""Values that somebody enters in the form of an item."""
