"""MemGPT and a plain reader: agents that manage their own context, and the chat with one."""
