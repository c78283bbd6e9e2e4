"""Episodes: players, what is authored, sessions with their messages, results and shares, and what is kept of them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _people_and_plays()
    _sessions()
    _kept("episode_memories")
    _kept("hooks")
    _relationships()


def _people_and_plays() -> None:
    op.create_table(
        "players",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
    )
    op.create_table(
        "episode_templates",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("character", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("completion_mode", sa.String(16), nullable=False),
        sa.Column("turn_budget", sa.Integer(), nullable=True),
        sa.Column("completion_criteria", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_episode_templates"),
    )
    op.create_table(
        "series",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("episode_order", sa.Text(), nullable=False),
        sa.Column("themes", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_series"),
    )


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("player_id", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("character", sa.Text(), nullable=False),
        sa.Column("series", sa.Text(), nullable=True),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("turn_count", sa.Integer(), nullable=False),
        sa.Column("director_state", sa.Text(), nullable=False),
        sa.Column("completion_trigger", sa.String(16), nullable=True),
        sa.Column("parent_id", sa.String(40), nullable=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("updated_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        _belongs("sessions", "id", "runs"),
    )
    op.create_index("ix_sessions_player_id", "sessions", ["player_id"])
    op.create_table(
        "messages",
        sa.Column("session_id", sa.String(40), nullable=False),
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "id", name="pk_messages"),
        _belongs("messages", "session_id", "sessions"),
    )
    op.create_table(
        "session_evaluations",
        sa.Column("id", sa.String(60), nullable=False),
        sa.Column("session_id", sa.String(40), nullable=False),
        sa.Column("evaluation_type", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("model_used", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_session_evaluations"),
        _belongs("session_evaluations", "session_id", "sessions"),
    )
    op.create_index("ix_session_evaluations_session_id", "session_evaluations", ["session_id"])
    op.create_table(
        "shares",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("session_id", sa.String(40), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("expires_at", sa.DOUBLE_PRECISION(), nullable=True),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.Column("views", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_shares"),
        _belongs("shares", "session_id", "sessions"),
    )
    op.create_index("ix_shares_session_id", "shares", ["session_id"])


def _kept(table: str) -> None:
    op.create_table(
        table,
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("session_id", sa.String(40), nullable=False),
        sa.Column("character", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Text(), nullable=False),
        sa.Column("series", sa.Text(), nullable=True),
        sa.Column("message_id", sa.String(16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("importance", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("forgotten", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        _belongs(table, "session_id", "sessions"),
    )
    op.create_index(f"ix_{table}_player_id", table, ["player_id", "character"])


def _relationships() -> None:
    op.create_table(
        "relationships",
        sa.Column("session_id", sa.String(40), nullable=False),
        sa.Column("message_id", sa.String(16), nullable=False),
        sa.Column("character", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Text(), nullable=False),
        sa.Column("tone", sa.Text(), nullable=False),
        sa.Column("tension", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("trust", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("at", sa.DOUBLE_PRECISION(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "message_id", name="pk_relationships"),
        _belongs("relationships", "session_id", "sessions"),
    )
    op.create_index("ix_relationships_player_id", "relationships", ["player_id", "character"])


def _belongs(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    """Goes when what it belongs to goes."""
    name = f"fk_{table}_{column}_{to}"
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=name, ondelete="CASCADE")
