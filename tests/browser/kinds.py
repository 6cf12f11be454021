"""each_browser: a test runs in one browser of each kind."""

from __future__ import annotations

import pytest

each_browser = pytest.mark.parametrize("browser", ["chromium", "firefox"], indirect=True)
"""For tests with the fixture `browser`."""
