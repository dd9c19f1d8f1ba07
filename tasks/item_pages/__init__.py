"""What leads read of items: the list of them, and all ratings of one side by side."""
