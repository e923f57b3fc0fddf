"""Models of the user's own: tables of the settings file, objects of LangChain, and functions."""
