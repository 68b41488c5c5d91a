"""One poisoned invoice, three runs: real MCP servers, a scripted agent, no network, no keys."""
