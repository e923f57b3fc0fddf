"""Steps that choose the pages to read again: by the model, by retrieval, fixed."""
