"""The command line: `pulasso --help` shows what it does."""
