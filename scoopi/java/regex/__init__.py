"""Regular expressions as java.util.regex reads them."""
