-- Kiosks: the queue of requests, and which request the next one continues.

CREATE TABLE kiosks (
    name VARCHAR(64) NOT NULL,
    last_run VARCHAR(40),
    last_ticket INTEGER NOT NULL,
    tickets INTEGER NOT NULL,
    resets INTEGER NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_kiosks PRIMARY KEY (name)
);
