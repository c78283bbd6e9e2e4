-- The knowledge graph of a book: entities, facts, and the files they were read from.

CREATE TABLE graph_entities (
    book VARCHAR(120) NOT NULL,
    id INTEGER NOT NULL,
    kind VARCHAR(16) NOT NULL,
    name TEXT NOT NULL,
    aliases TEXT NOT NULL,
    merged_into INTEGER,
    source TEXT NOT NULL,
    recorded_at DOUBLE PRECISION NOT NULL,
    withdrawn BOOLEAN DEFAULT FALSE NOT NULL,
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
    set_aside BOOLEAN DEFAULT FALSE NOT NULL,
    CONSTRAINT pk_graph_facts PRIMARY KEY (book, id)
);

CREATE TABLE graph_sources (
    book VARCHAR(120) NOT NULL,
    path TEXT NOT NULL,
    digest VARCHAR(64) NOT NULL,
    position INTEGER NOT NULL,
    CONSTRAINT pk_graph_sources PRIMARY KEY (book, path)
);
