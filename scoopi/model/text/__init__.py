"""Rules for texts that several rooms handle: page values, addresses, names and output paths."""
