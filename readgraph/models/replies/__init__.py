"""What a model meant in its reply: JSON or plain words, without its thinking and the marks of its template."""
