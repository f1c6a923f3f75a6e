CREATE TABLE meta (name TEXT PRIMARY KEY, value);
CREATE TABLE processors (
    processor INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    class TEXT NOT NULL,
    creator INTEGER REFERENCES processors,
    created INTEGER NOT NULL
);
CREATE TABLE features (feature INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE places (place INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE requests (
    request INTEGER PRIMARY KEY,
    feature INTEGER NOT NULL REFERENCES features,
    client INTEGER NOT NULL REFERENCES processors,
    supplier INTEGER NOT NULL REFERENCES processors,
    sender INTEGER REFERENCES requests,
    site INTEGER REFERENCES places,
    client_waits INTEGER NOT NULL,
    is_local INTEGER NOT NULL,
    is_callback INTEGER NOT NULL,
    called INTEGER,
    synchronizes INTEGER,
    executes INTEGER,
    returns INTEGER,
    queue INTEGER,
    synchronization INTEGER,
    execution INTEGER,
    waiting INTEGER NOT NULL,
    useful INTEGER,
    evaluations INTEGER NOT NULL
);
CREATE TABLE states (
    processor INTEGER NOT NULL REFERENCES processors,
    state TEXT NOT NULL,
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL
);
CREATE TABLE waits (
    cause TEXT NOT NULL,
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    waiter INTEGER REFERENCES features,
    subject INTEGER REFERENCES features,
    client INTEGER NOT NULL REFERENCES processors,
    supplier INTEGER REFERENCES processors,
    ended_by INTEGER REFERENCES features,
    ended_by_other TEXT,
    place INTEGER REFERENCES places
);
CREATE VIEW named_requests AS
SELECT features.name, requests.*
FROM requests JOIN features USING (feature);
CREATE VIEW named_waits AS
SELECT cause, "to" - "from" AS ticks, "from", "to", waiters.name AS waiter, subjects.name AS subject,
       coalesce(enders.name, ended_by_other) AS ended_by, client, supplier, places.text AS place
FROM waits
LEFT JOIN features AS waiters ON waiters.feature = waiter
LEFT JOIN features AS subjects ON subjects.feature = subject
LEFT JOIN features AS enders ON enders.feature = ended_by
LEFT JOIN places USING (place);
