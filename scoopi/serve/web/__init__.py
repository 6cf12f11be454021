"""What a `serve` shows over HTTP."""
