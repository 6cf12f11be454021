"""`python -m scoopi`: the same program as `scoopi`."""

import sys

from scoopi.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
