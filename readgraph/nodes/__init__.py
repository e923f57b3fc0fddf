"""The nodes of graphs: a room for each capability, with prompts and their replies in `prompts`."""
