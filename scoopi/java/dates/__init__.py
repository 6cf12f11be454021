"""Date patterns of SimpleDateFormat and DateTimeFormatter."""
