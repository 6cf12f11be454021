"""The keys of the blocks of the scheduling language, with their kinds, helps and examples."""
