-- Decisions about books, with their history; and the knowledge graph.

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

CREATE TABLE graph_entities (
    book VARCHAR(120) NOT NULL,
    id INTEGER NOT NULL,
    kind VARCHAR(16) NOT NULL,
    name TEXT NOT NULL,
    aliases TEXT NOT NULL,
    merged_into INTEGER,
    source TEXT NOT NULL,
    recorded_at DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_graph_entities PRIMARY KEY (book, id)
);

CREATE TABLE graph_facts (
    book VARCHAR(120) NOT NULL,
    id INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    predicate VARCHAR(120) NOT NULL,
    object INTEGER,
    value TEXT NOT NULL,
    modality VARCHAR(16) NOT NULL,
    holder INTEGER,
    time_from TEXT NOT NULL,
    time_to TEXT NOT NULL,
    file TEXT NOT NULL,
    paragraph INTEGER NOT NULL,
    start INTEGER NOT NULL,
    quote TEXT NOT NULL,
    source TEXT NOT NULL,
    recorded_at DOUBLE PRECISION NOT NULL,
    retired_at DOUBLE PRECISION,
    CONSTRAINT pk_graph_facts PRIMARY KEY (book, id)
);

CREATE TABLE graph_sources (
    book VARCHAR(120) NOT NULL,
    path TEXT NOT NULL,
    digest VARCHAR(64) NOT NULL,
    position INTEGER NOT NULL,
    CONSTRAINT pk_graph_sources PRIMARY KEY (book, path)
);
