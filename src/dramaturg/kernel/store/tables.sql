-- Runs, their logs, and what people send to them. Further tables belong to the capabilities: see the `tables.sql` of each.

CREATE TABLE runs (
    id VARCHAR(40) NOT NULL,
    kind VARCHAR(40) NOT NULL,
    name TEXT NOT NULL,
    status VARCHAR(16) NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    seed BIGINT NOT NULL,
    parent_id VARCHAR(40),
    forked_at INTEGER,
    player TEXT NOT NULL,
    adoptions INTEGER NOT NULL,
    config TEXT NOT NULL,
    lease_until DOUBLE PRECISION DEFAULT 0 NOT NULL,
    generation INTEGER DEFAULT 0 NOT NULL,
    stop_asked BOOLEAN DEFAULT FALSE NOT NULL,
    CONSTRAINT pk_runs PRIMARY KEY (id)
);

CREATE INDEX ix_runs_created_at ON runs (created_at);

CREATE INDEX ix_runs_lease_until ON runs (lease_until) WHERE status = 'playing';

CREATE TABLE events (
    run_id VARCHAR(40) NOT NULL,
    seq INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    type VARCHAR(80) NOT NULL,
    hidden BOOLEAN NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT pk_events PRIMARY KEY (run_id, seq),
    CONSTRAINT fk_events_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
);

CREATE TABLE run_messages (
    run_id VARCHAR(40) NOT NULL,
    number INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    topic VARCHAR(80) NOT NULL,
    author TEXT NOT NULL,
    message_key VARCHAR(200) NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT pk_run_messages PRIMARY KEY (run_id, number),
    CONSTRAINT fk_run_messages_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_run_messages_run_id_message_key ON run_messages (run_id, message_key);
