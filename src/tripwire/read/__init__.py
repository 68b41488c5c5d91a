"""READ: what the agent is told about a path: match, order, budget, render, lint."""
