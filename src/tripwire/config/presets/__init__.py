"""Policy data that ships: roles of well-known tools, the flow table, shell tables."""
