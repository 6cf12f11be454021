"""Tables of records, on SQLite and PostgreSQL, through SQLAlchemy Core."""
