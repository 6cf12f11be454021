"""HttpShare: what the clients of a process have in common: looked-up names and TLS sessions."""

from __future__ import annotations

import pycurl


class HttpShare:
    """Made once a process; outlives the clients that use it. Safe for threads (pycurl locks inside)."""

    def __init__(self) -> None:
        self.handle = pycurl.CurlShare()
        self.handle.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_DNS)
        self.handle.setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_SSL_SESSION)

    def close(self) -> None:
        """Free it, after all clients are closed."""
        self.handle.close()
