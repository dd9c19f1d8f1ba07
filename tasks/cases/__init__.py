"""Cases: what people answered to one target in one dimension, and what is decided."""
