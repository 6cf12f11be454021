"""The services of the scheduler: answer the questions of users, and make the changes that they request."""
