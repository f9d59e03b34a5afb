"""One file for each command; what is heavy is imported inside the functions, so that `--help` is quick."""
