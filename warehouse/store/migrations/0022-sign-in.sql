-- Devices and addresses from which an account has signed in. Failed attempts from anywhere else never delay them.
create table sign_in_origin (
  user_id text not null references app_user on delete cascade,
  kind text not null check (kind in ('device', 'address')),
  sha256 bytea not null check (length(sha256) = 32), -- device: hash of the cookie's token; address: HMAC by the account's subject_key
  created_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  primary key (user_id, kind, sha256)
);
create index sign_in_origin_age on sign_in_origin (seen_at);
select protect_user_table('sign_in_origin');
