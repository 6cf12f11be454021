"""Work on a single page or host without a run: fetching, parsing, extracting, and the settings of a host."""
