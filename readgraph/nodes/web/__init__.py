"""Steps of the web agent: open a page, cut it into subtrees, act on it (ReadAgent, appendix E)."""
