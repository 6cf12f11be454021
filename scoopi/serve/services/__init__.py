"""services: answer what users ask the scheduler, and make the changes that they request."""
