CREATE TABLE IF NOT EXISTS readgraph_originals (
    name TEXT PRIMARY KEY, data BYTEA NOT NULL
);
CREATE TABLE IF NOT EXISTS readgraph_minute (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, model TEXT NOT NULL, at FLOAT8 NOT NULL,
    tokens BIGINT NOT NULL, reserved FLOAT8 NOT NULL
);
CREATE TABLE IF NOT EXISTS readgraph_dropped (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, part TEXT NOT NULL, name TEXT NOT NULL
);
-- LangGraph's ids of checkpoints are in the order of the clock, which may have been set back.
CREATE SEQUENCE IF NOT EXISTS readgraph_written;
ALTER TABLE checkpoints ADD COLUMN IF NOT EXISTS written BIGINT;
UPDATE checkpoints SET written = nextval('readgraph_written')
    FROM (SELECT ctid AS row FROM checkpoints WHERE written IS NULL ORDER BY checkpoint_id) AS earlier
    WHERE checkpoints.ctid = earlier.row;
ALTER TABLE checkpoints ALTER COLUMN written SET DEFAULT nextval('readgraph_written');
CREATE INDEX IF NOT EXISTS readgraph_written_idx ON checkpoints (thread_id, checkpoint_ns, written DESC);
CREATE TABLE IF NOT EXISTS readgraph_library (
    format INTEGER NOT NULL, identity UUID NOT NULL DEFAULT gen_random_uuid()
);
