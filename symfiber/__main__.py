"""``python -m symfiber`` is the command ``symfiber``."""

import sys

from symfiber.cli import main

if __name__ == "__main__":
    sys.exit(main())
