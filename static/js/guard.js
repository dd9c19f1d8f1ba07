// guard
