"""The store in a PostgreSQL database, for the processes of any number of machines."""
