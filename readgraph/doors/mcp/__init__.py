"""A library served to agents over the Model Context Protocol (extra `mcp`)."""
