"""What Java's own classes mean in definitions: regular expressions and dates."""
