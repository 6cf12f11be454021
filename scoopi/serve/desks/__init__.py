"""desks: what people ask of the scheduler, and change by hand."""
