"""Notes on a question, written anew after each page (MemAgent), and what of them was overwritten."""
