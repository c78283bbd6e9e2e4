-- Consolidation of a book: batches of facts, the conflicts they met, and the texts that were read.

CREATE TABLE graph_batches (
    book VARCHAR(120) NOT NULL,
    id INTEGER NOT NULL,
    run VARCHAR(80) NOT NULL,
    body TEXT NOT NULL,
    merged_at DOUBLE PRECISION NOT NULL,
    undone_at DOUBLE PRECISION,
    CONSTRAINT pk_graph_batches PRIMARY KEY (book, id)
);

CREATE TABLE graph_conflicts (
    book VARCHAR(120) NOT NULL,
    id INTEGER NOT NULL,
    batch INTEGER NOT NULL,
    rule VARCHAR(24) NOT NULL,
    said TEXT NOT NULL,
    old_fact INTEGER NOT NULL,
    new_fact INTEGER NOT NULL,
    further TEXT NOT NULL,
    found_at DOUBLE PRECISION NOT NULL,
    resolution VARCHAR(16) NOT NULL,
    reason VARCHAR(24) NOT NULL,
    note TEXT NOT NULL,
    resolved_at DOUBLE PRECISION,
    CONSTRAINT pk_graph_conflicts PRIMARY KEY (book, id)
);

CREATE TABLE consolidated_texts (
    book VARCHAR(120) NOT NULL,
    path TEXT NOT NULL,
    digest VARCHAR(64) NOT NULL,
    batch INTEGER NOT NULL,
    CONSTRAINT pk_consolidated_texts PRIMARY KEY (book, path)
);
