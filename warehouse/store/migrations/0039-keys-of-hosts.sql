-- Several hosts with separate folders of keys use one database.
-- Which secret keys belong to this database: HMAC-SHA-256 of a fixed text under the key, which does not reveal it. A program that has
-- another key, or would make one, does not start.
create table key_fingerprint (
  name text not null,
  number integer not null check (number > 0),
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (name, number)
);

-- Private keys that every worker needs, encrypted with the key file shared-<n>.key: only with a lake in a bucket. Backups leave them out.
create table shared_key (
  name text primary key, -- signing <kid>, push
  sealed bytea not null,
  stored_at timestamptz not null default clock_timestamp()
);
