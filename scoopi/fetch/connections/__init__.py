"""Which hosts a request may connect to, and through which proxies."""
