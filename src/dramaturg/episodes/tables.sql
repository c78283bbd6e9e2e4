-- Players, authored episodes, sessions with their messages, results and shares, and what is remembered of them.

CREATE TABLE players (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    about TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_players PRIMARY KEY (id)
);

CREATE TABLE episode_templates (
    name TEXT NOT NULL,
    character TEXT NOT NULL,
    title TEXT NOT NULL,
    completion_mode VARCHAR(16) NOT NULL,
    turn_budget INTEGER,
    completion_criteria TEXT,
    body TEXT NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_episode_templates PRIMARY KEY (name)
);

CREATE TABLE series (
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    episode_order TEXT NOT NULL,
    themes TEXT NOT NULL,
    body TEXT NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_series PRIMARY KEY (name)
);

CREATE TABLE sessions (
    id VARCHAR(40) NOT NULL,
    player_id TEXT NOT NULL,
    template TEXT NOT NULL,
    character TEXT NOT NULL,
    series TEXT,
    status VARCHAR(16) NOT NULL,
    turn_count INTEGER NOT NULL,
    director_state TEXT NOT NULL,
    completion_trigger VARCHAR(16),
    parent_id VARCHAR(40),
    seq INTEGER NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_sessions PRIMARY KEY (id),
    CONSTRAINT fk_sessions_id_runs FOREIGN KEY(id) REFERENCES runs (id) ON DELETE CASCADE
);

CREATE INDEX ix_sessions_player_id ON sessions (player_id);

CREATE TABLE messages (
    session_id VARCHAR(40) NOT NULL,
    id VARCHAR(16) NOT NULL,
    position INTEGER NOT NULL,
    role VARCHAR(16) NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_messages PRIMARY KEY (session_id, id),
    CONSTRAINT fk_messages_session_id_sessions FOREIGN KEY(session_id)
        REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE TABLE session_evaluations (
    id VARCHAR(60) NOT NULL,
    session_id VARCHAR(40) NOT NULL,
    evaluation_type TEXT NOT NULL,
    result TEXT NOT NULL,
    model_used TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_session_evaluations PRIMARY KEY (id),
    CONSTRAINT fk_session_evaluations_session_id_sessions FOREIGN KEY(session_id)
        REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE INDEX ix_session_evaluations_session_id ON session_evaluations (session_id);

CREATE TABLE shares (
    id VARCHAR(40) NOT NULL,
    session_id VARCHAR(40) NOT NULL,
    snapshot TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION,
    revoked BOOLEAN NOT NULL,
    views INTEGER NOT NULL,
    CONSTRAINT pk_shares PRIMARY KEY (id),
    CONSTRAINT fk_shares_session_id_sessions FOREIGN KEY(session_id)
        REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE INDEX ix_shares_session_id ON shares (session_id);

CREATE TABLE episode_memories (
    id VARCHAR(40) NOT NULL,
    session_id VARCHAR(40) NOT NULL,
    character TEXT NOT NULL,
    player_id TEXT NOT NULL,
    series TEXT,
    message_id VARCHAR(16) NOT NULL,
    text TEXT NOT NULL,
    quote TEXT NOT NULL,
    importance DOUBLE PRECISION NOT NULL,
    scope VARCHAR(16) NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    forgotten BOOLEAN NOT NULL,
    CONSTRAINT pk_episode_memories PRIMARY KEY (id),
    CONSTRAINT fk_episode_memories_session_id_sessions FOREIGN KEY(session_id)
        REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE INDEX ix_episode_memories_player_id ON episode_memories (player_id, character);

CREATE TABLE hooks (
    id VARCHAR(40) NOT NULL,
    session_id VARCHAR(40) NOT NULL,
    character TEXT NOT NULL,
    player_id TEXT NOT NULL,
    series TEXT,
    message_id VARCHAR(16) NOT NULL,
    text TEXT NOT NULL,
    quote TEXT NOT NULL,
    importance DOUBLE PRECISION NOT NULL,
    scope VARCHAR(16) NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    forgotten BOOLEAN NOT NULL,
    CONSTRAINT pk_hooks PRIMARY KEY (id),
    CONSTRAINT fk_hooks_session_id_sessions FOREIGN KEY(session_id)
        REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE INDEX ix_hooks_player_id ON hooks (player_id, character);

CREATE TABLE relationships (
    session_id VARCHAR(40) NOT NULL,
    message_id VARCHAR(16) NOT NULL,
    character TEXT NOT NULL,
    player_id TEXT NOT NULL,
    tone TEXT NOT NULL,
    tension DOUBLE PRECISION NOT NULL,
    trust DOUBLE PRECISION NOT NULL,
    quote TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_relationships PRIMARY KEY (session_id, message_id),
    CONSTRAINT fk_relationships_session_id_sessions FOREIGN KEY(session_id)
        REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE INDEX ix_relationships_player_id ON relationships (player_id, character);

CREATE TABLE player_tokens (
    id VARCHAR(40) NOT NULL,
    player_id TEXT NOT NULL,
    issued_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    revoked BOOLEAN NOT NULL,
    CONSTRAINT pk_player_tokens PRIMARY KEY (id)
);

CREATE INDEX ix_player_tokens_player_id ON player_tokens (player_id);

CREATE TABLE player_spending (
    hour INTEGER NOT NULL,
    player_id TEXT NOT NULL,
    tokens BIGINT NOT NULL,
    usd DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_player_spending PRIMARY KEY (hour, player_id)
);
