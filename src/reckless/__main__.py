"""`python -m reckless`: the command line."""

from reckless.cli import main

if __name__ == "__main__":
    main()
