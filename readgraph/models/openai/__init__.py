"""OpenAI's protocol: its chat model, what its servers send, and the way to them."""
