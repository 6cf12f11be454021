"""Failed loads that are tried again: the decision, the budget, and the wait at this node."""
