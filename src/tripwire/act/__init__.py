"""What an agent does: roles of calls, facts of a call, and the rules over them."""
