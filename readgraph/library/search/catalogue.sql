CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, title TEXT NOT NULL,
    title_words TEXT NOT NULL, added TEXT NOT NULL, words INTEGER NOT NULL, joined INTEGER NOT NULL,
    damaged INTEGER NOT NULL, supersedes TEXT NOT NULL, record TEXT NOT NULL, indexed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS by_source ON documents (source);
CREATE INDEX IF NOT EXISTS by_title ON documents (title);
CREATE INDEX IF NOT EXISTS by_version ON documents (supersedes);
CREATE INDEX IF NOT EXISTS by_time ON documents (added);
CREATE INDEX IF NOT EXISTS by_index ON documents (indexed, joined, damaged);
CREATE TABLE IF NOT EXISTS seen (row INTEGER NOT NULL, record TEXT NOT NULL);
