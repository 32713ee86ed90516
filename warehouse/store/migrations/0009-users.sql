-- Users, their sessions and what every part about users stands on: one-time tokens, mail, throttling, idempotency, the audit chain.

-- The role under which a user's own rows are read and written: row-level security is the second wall behind each statement's own
-- condition. Where the installation may not make roles, the first wall stands alone.
do $$
begin
  if not exists (select from pg_roles where rolname = 'crossfile_user') then
    create role crossfile_user nologin;
  end if;
  execute format('grant crossfile_user to %I', current_user);
exception
  when insufficient_privilege or duplicate_object or unique_violation then null;
end $$;

create table app_user (
  user_id text primary key, -- u_ and random letters
  email text not null check (length(email) between 3 and 254), -- as typed
  email_key text not null unique, -- folded: what is compared
  full_name text check (length(full_name) <= 200),
  display_name text check (length(display_name) <= 100),
  password_hash text, -- argon2id as a PHC string with the version of its pepper; null: none can sign in with a password
  tier text not null default 'free',
  tier_since timestamptz not null default clock_timestamp(),
  billing_status text not null default 'none',
  is_active boolean not null default true,
  is_admin boolean not null default false,
  email_verified_at timestamptz,
  subject_key bytea not null check (length(subject_key) = 32), -- of the user's pseudonym in the chains; erasing the account destroys it
  created_at timestamptz not null default clock_timestamp(),
  last_login_at timestamptz,
  erasure_requested_at timestamptz -- null: none is queued
);

-- What a browser or a token holds is 32 random bytes; here is their SHA-256.
create table user_session (
  session_id text primary key, -- s_ and random letters: what its owner sees
  user_id text not null references app_user on delete cascade,
  sha256 bytea not null unique check (length(sha256) = 32),
  kind text not null check (kind in ('user', 'admin')),
  created_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  idle_until timestamptz not null,
  expires_at timestamptz not null,
  proved_at timestamptz not null, -- when a password or a code was last given: what a step-up renews
  address_prefix text not null, -- /24 or /48
  agent text not null -- family of the browser
);
create index user_session_user on user_session (user_id, created_at);

create table one_time_token (
  sha256 bytea primary key check (length(sha256) = 32),
  user_id text not null references app_user on delete cascade,
  purpose text not null check (purpose in ('verify_email', 'reset_password')),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_token_user on one_time_token (user_id, purpose);

-- Mail to be sent. A row is written in the transaction of what it tells, and sent by a job.
create table mail_outbox (
  mail_id bigint generated always as identity primary key,
  dedupe_key text not null unique, -- the same event is told once, whatever crashes
  user_id text references app_user on delete cascade,
  to_address text not null,
  kind text not null,
  subject text not null,
  body text not null,
  created_at timestamptz not null default clock_timestamp(),
  next_try_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  sent_at timestamptz,
  given_up_at timestamptz,
  error text
);
create index mail_outbox_due on mail_outbox (next_try_at) where sent_at is null and given_up_at is null;

-- Failures of signing in, by what they are counted for. Unlogged: a crash of Postgres forgets them.
create unlogged table sign_in_failure (
  bucket text primary key,
  failures integer not null,
  since timestamptz not null,
  blocked_until timestamptz
);

-- The effect of a request with an Idempotency-Key, kept in the transaction of that effect.
create table idempotency_key (
  user_id text not null references app_user on delete cascade,
  key text not null check (length(key) between 1 and 255),
  operation text not null,
  body_sha256 bytea not null,
  status integer not null,
  answer text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (user_id, key)
);
create index idempotency_key_age on idempotency_key (created_at);

-- Acts of administration and of the account, chained: a row's hash covers the one before it.
create table audit_entry (
  seq bigint primary key,
  at timestamptz not null,
  actor text not null, -- the pseudonym of a user, 'operator' or 'system'
  act text not null,
  subject text not null, -- a pseudonym or the name of a thing
  details jsonb not null,
  previous bytea not null check (length(previous) = 32),
  hash bytea not null unique check (length(hash) = 32)
);
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger audit_entry_append_only before update or delete or truncate on audit_entry
  for each statement execute function refuse_change();

-- Puts a table with a user_id behind row-level security: under crossfile_user only rows of app.uid are there. The owner sees all.
create function protect_user_table(name regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('create policy own_rows on %s using (user_id = current_setting(''app.uid'', true)) with check (user_id = current_setting(''app.uid'', true))', name);
  if exists (select from pg_roles where rolname = 'crossfile_user') then
    execute format('grant select, insert, update, delete on %s to crossfile_user', name);
  end if;
end $$;
select protect_user_table('app_user'), protect_user_table('user_session'), protect_user_table('idempotency_key');
