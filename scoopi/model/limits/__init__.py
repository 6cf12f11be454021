"""How much a run may ask of hosts: retries and budgets."""
