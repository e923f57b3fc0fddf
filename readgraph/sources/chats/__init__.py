"""Exported chats: turns with their speakers and times."""
