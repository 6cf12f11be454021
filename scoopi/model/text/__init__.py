"""Rules for texts that several rooms use: page values, addresses, names and output paths."""
