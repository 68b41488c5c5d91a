"""One MCP server in front of all of an agent's MCP servers."""
