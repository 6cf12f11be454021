"""Values of the scheduler: processes and how they are triggered, retried and limited."""
