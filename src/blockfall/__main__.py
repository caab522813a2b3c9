"""`python -m blockfall` is the command line."""

from blockfall.cli import main

if __name__ == "__main__":
    main()
