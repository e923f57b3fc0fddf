"""A library for LangChain: tools, retrievers and documents, and any retriever as a method's search."""
