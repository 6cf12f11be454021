"""How long each entry of a data definition takes on the pages that are timed."""
