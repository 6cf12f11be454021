"""Reports of a run: its figures, its failures by cause, and the fields that found nothing."""
