-- Decisions about books, with their history.

CREATE TABLE decisions (
    book VARCHAR(120) NOT NULL,
    id INTEGER NOT NULL,
    category VARCHAR(16) NOT NULL,
    key VARCHAR(120) NOT NULL,
    value TEXT NOT NULL,
    source TEXT NOT NULL,
    kind VARCHAR(16) NOT NULL,
    decided_at DOUBLE PRECISION NOT NULL,
    retired_at DOUBLE PRECISION,
    taken_back BOOLEAN NOT NULL,
    is_promoted BOOLEAN NOT NULL,
    CONSTRAINT pk_decisions PRIMARY KEY (book, id)
);

CREATE INDEX ix_decisions_key ON decisions (book, key);

CREATE INDEX ix_decisions_retired ON decisions (book, id) WHERE retired_at IS NOT NULL;
