"""Reads and writes dates by patterns of Java's SimpleDateFormat and DateTimeFormatter."""
