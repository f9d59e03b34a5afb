"""What the mathematical tests share: examples of every scenario, brute force, random problems, simulation."""
