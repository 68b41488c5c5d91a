"""A shell command as the roles of its simple commands (flow.md §3.6)."""
