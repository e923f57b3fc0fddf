"""What the agent is told, its next step, and the summary of what leaves its view."""
