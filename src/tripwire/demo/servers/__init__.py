"""The demo's MCP servers, written with the official SDK; each is a program of its own."""
