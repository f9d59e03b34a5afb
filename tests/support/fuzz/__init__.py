"""Random calls of the public face, and a judge of how they end."""
