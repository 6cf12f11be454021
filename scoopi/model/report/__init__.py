"""What a run reports about itself: its figures, its failures by cause, and the fields that found nothing."""
