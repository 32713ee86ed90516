-- API keys, and the shared budget of the rate limits.

-- A key is shown once, when it is made; here are its SHA-256 and its last four characters.
create table api_key (
  key_id text primary key, -- k_ and random letters: what logs and owners see
  name text not null check (length(name) between 1 and 100),
  owner text, -- user, once there are users; null: the operator
  sha256 bytea not null unique check (length(sha256) = 32),
  last4 text not null check (length(last4) = 4),
  tier text not null,
  scopes text[] not null,
  allowed_addresses text[] not null default '{}', -- addresses or CIDR ranges; empty: from anywhere
  created_at timestamptz not null default now(),
  expires_at timestamptz, -- null: never
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_used_as text -- bearer, x-api-key or query: a key that goes through addresses is semi-public
);
create index api_key_owner on api_key (owner) where owner is not null;

-- One row per key or address and class of operation: what all API processes together have given out. Unlogged: a crash of
-- Postgres forgets it, which gives every client a full burst once and costs no write-ahead log the rest of the time.
create unlogged table rate_budget (
  partition text primary key,
  arrival_us bigint not null, -- theoretical arrival time of GCRA, microseconds since 1970 on the clock of Postgres
  day date not null, -- UTC
  used bigint not null, -- units given out on that day
  granted bigint not null -- by the last statement, so that it can return it
);
create index rate_budget_day on rate_budget (day);
