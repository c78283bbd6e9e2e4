-- What characters keep from scene to scene.

CREATE TABLE memories (
    id VARCHAR(40) NOT NULL,
    character TEXT NOT NULL,
    scene TEXT NOT NULL,
    run_id VARCHAR(40) NOT NULL,
    line INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    moment VARCHAR(40) NOT NULL,
    text TEXT NOT NULL,
    kind VARCHAR(16) NOT NULL,
    importance DOUBLE PRECISION NOT NULL,
    about TEXT NOT NULL,
    quote TEXT NOT NULL,
    edited BOOLEAN NOT NULL,
    forgotten BOOLEAN NOT NULL,
    CONSTRAINT pk_memories PRIMARY KEY (id)
);

CREATE INDEX ix_memories_character ON memories (character);

CREATE TABLE moods (
    character TEXT NOT NULL,
    scene TEXT NOT NULL,
    run_id VARCHAR(40) NOT NULL,
    line INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    moment VARCHAR(40) NOT NULL,
    valence DOUBLE PRECISION NOT NULL,
    arousal DOUBLE PRECISION NOT NULL,
    cause TEXT NOT NULL,
    forgotten BOOLEAN NOT NULL,
    CONSTRAINT pk_moods PRIMARY KEY (character, moment)
);

CREATE TABLE bonds (
    character TEXT NOT NULL,
    scene TEXT NOT NULL,
    run_id VARCHAR(40) NOT NULL,
    line INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    moment VARCHAR(40) NOT NULL,
    toward TEXT NOT NULL,
    trust DOUBLE PRECISION NOT NULL,
    affection DOUBLE PRECISION NOT NULL,
    tension DOUBLE PRECISION NOT NULL,
    cause TEXT NOT NULL,
    forgotten BOOLEAN NOT NULL,
    CONSTRAINT pk_bonds PRIMARY KEY (character, toward, moment)
);
