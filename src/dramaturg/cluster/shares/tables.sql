-- What processes share of a limit: how full each bucket is, who holds how many places, and what was spent on a day.

CREATE TABLE limit_levels (
    name VARCHAR(200) NOT NULL,
    level DOUBLE PRECISION NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    paused_until DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_limit_levels PRIMARY KEY (name)
);

CREATE TABLE limit_shares (
    name VARCHAR(200) NOT NULL,
    holder VARCHAR(200) NOT NULL,
    units INTEGER NOT NULL,
    wanted INTEGER NOT NULL,
    until DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_limit_shares PRIMARY KEY (name, holder)
);

CREATE TABLE spent_days (
    name VARCHAR(200) NOT NULL,
    day VARCHAR(10) NOT NULL,
    tokens BIGINT NOT NULL,
    usd DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_spent_days PRIMARY KEY (name, day)
);
