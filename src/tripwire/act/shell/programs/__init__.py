"""What single programs do: one module per family, each with an explicit table of functions."""
