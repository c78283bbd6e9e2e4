"""The tables at their newest. A new database is made from this; an older one is brought here by migrations.

The tests hold that both ways lead to the same tables.
"""

from __future__ import annotations

VERSION_TABLE = "dramaturg_version"
KNOWN = ("0001", "0002", "0003", "0004", "0005")
"""Every revision of the schema, oldest first."""
HEAD = KNOWN[-1]
OLDER = ("", *KNOWN[:-1])
"""What can be migrated; the empty one is a version table in which nothing stands yet."""

READ_VERSION = f"SELECT version_num FROM {VERSION_TABLE}"

CREATE = (
    """
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
        CONSTRAINT pk_runs PRIMARY KEY (id)
    )
    """,
    "CREATE INDEX ix_runs_created_at ON runs (created_at)",
    """
    CREATE TABLE events (
        run_id VARCHAR(40) NOT NULL,
        seq INTEGER NOT NULL,
        at DOUBLE PRECISION NOT NULL,
        type VARCHAR(80) NOT NULL,
        hidden BOOLEAN NOT NULL,
        body TEXT NOT NULL,
        CONSTRAINT pk_events PRIMARY KEY (run_id, seq),
        CONSTRAINT fk_events_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
    )
    """,
    """
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
    )
    """,
    "CREATE INDEX ix_memories_character ON memories (character)",
    """
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
    )
    """,
    """
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
    )
    """,
    """
    CREATE TABLE kiosks (
        name VARCHAR(64) NOT NULL,
        last_run VARCHAR(40),
        last_ticket INTEGER NOT NULL,
        tickets INTEGER NOT NULL,
        resets INTEGER NOT NULL,
        updated_at DOUBLE PRECISION NOT NULL,
        CONSTRAINT pk_kiosks PRIMARY KEY (name)
    )
    """,
    """
    CREATE TABLE players (
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        about TEXT NOT NULL,
        created_at DOUBLE PRECISION NOT NULL,
        CONSTRAINT pk_players PRIMARY KEY (id)
    )
    """,
    """
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
    )
    """,
    """
    CREATE TABLE series (
        name TEXT NOT NULL,
        title TEXT NOT NULL,
        episode_order TEXT NOT NULL,
        themes TEXT NOT NULL,
        body TEXT NOT NULL,
        updated_at DOUBLE PRECISION NOT NULL,
        CONSTRAINT pk_series PRIMARY KEY (name)
    )
    """,
    """
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
    )
    """,
    "CREATE INDEX ix_sessions_player_id ON sessions (player_id)",
    """
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
    )
    """,
    """
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
    )
    """,
    "CREATE INDEX ix_session_evaluations_session_id ON session_evaluations (session_id)",
    """
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
    )
    """,
    "CREATE INDEX ix_shares_session_id ON shares (session_id)",
    """
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
    )
    """,
    "CREATE INDEX ix_episode_memories_player_id ON episode_memories (player_id, character)",
    """
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
    )
    """,
    "CREATE INDEX ix_hooks_player_id ON hooks (player_id, character)",
    """
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
    )
    """,
    "CREATE INDEX ix_relationships_player_id ON relationships (player_id, character)",
    """
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
    )
    """,
    "CREATE INDEX ix_decisions_key ON decisions (book, key)",
    f"""
    CREATE TABLE {VERSION_TABLE} (
        version_num VARCHAR(32) NOT NULL,
        CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)
    )
    """,
    f"INSERT INTO {VERSION_TABLE} (version_num) VALUES ('{HEAD}')",
)
