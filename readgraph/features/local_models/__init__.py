"""Models that run on this machine: chat models by llama.cpp, each in a process of its own, and embeddings."""
