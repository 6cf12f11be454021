"""From bytes to the browser's tree."""
