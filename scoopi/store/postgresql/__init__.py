"""The store in a PostgreSQL database, for processes on any number of machines."""
