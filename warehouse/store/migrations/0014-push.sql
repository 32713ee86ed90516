-- Devices, web push and its outbox; what browsers report; addresses left by visitors; who brought whom.

-- The public half of the key that signs pushes. The private half is a file that the workers alone read; a second key makes every
-- subscription that was made with the first one useless, so that there is one row.
create table push_key (
  sole boolean primary key default true check (sole),
  public_key text not null check (length(public_key) = 87), -- uncompressed P-256 point in base64url: what a browser subscribes with
  created_at timestamptz not null default clock_timestamp()
);

create table device (
  device_id text primary key, -- d_ and random letters
  user_id text not null references app_user on delete cascade,
  platform text not null check (length(platform) <= 16),
  token text not null check (length(token) between 8 and 4096), -- of the platform's own push service: whoever has it can write to the device
  token_sha256 bytea not null unique check (length(token_sha256) = 32), -- a device belongs to whoever registered it last
  created_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp() -- last registration
);
create index device_user on device (user_id, created_at, device_id);

create table push_subscription (
  subscription_id text primary key, -- p_ and random letters
  user_id text not null references app_user on delete cascade,
  endpoint text not null check (length(endpoint) between 20 and 2000),
  endpoint_sha256 bytea not null check (length(endpoint_sha256) = 32), -- an address is too long for an index
  p256dh text not null, -- the browser's public key, base64url
  auth text not null, -- the browser's secret of 16 bytes, base64url
  tickers text[], -- canonical; null: told of all
  created_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(), -- last subscription with this address
  unique (user_id, endpoint_sha256)
);
create index push_subscription_user on push_subscription (user_id, created_at, subscription_id);
create index push_subscription_endpoint on push_subscription (endpoint_sha256);

-- Pushes to be sent: one row for each subscription, written in the transaction of what it tells, and sent by a job.
create table push_outbox (
  push_id bigint generated always as identity primary key,
  subscription_id text not null references push_subscription on delete cascade,
  user_id text not null references app_user on delete cascade,
  dedupe_key text not null check (length(dedupe_key) between 1 and 200), -- the same event is told once, whatever crashes
  title text not null,
  body text not null,
  url text, -- path within the service that opens
  topic text not null check (topic ~ '^[A-Za-z0-9_-]{1,32}$'), -- a newer push takes the place of one of its topic that is not delivered yet
  created_at timestamptz not null default clock_timestamp(),
  next_try_at timestamptz not null default clock_timestamp(),
  claimed_until timestamptz, -- a worker is sending it; one that dies gives it back at this time
  attempts integer not null default 0,
  sent_at timestamptz, -- taken over by the push service
  given_up_at timestamptz,
  error text,
  unique (dedupe_key, subscription_id)
);
create index push_outbox_due on push_outbox (next_try_at) where sent_at is null and given_up_at is null;
create index push_outbox_subscription on push_outbox (subscription_id);
create index push_outbox_user on push_outbox (user_id, created_at);

-- Web Vitals as pages report them, without anybody's address or name.
create table vital_sample (
  sample_id bigint generated always as identity primary key,
  day date not null,
  page text not null check (length(page) <= 200), -- path alone, ids in it replaced
  metric text not null check (metric in ('LCP', 'FID', 'CLS', 'INP')),
  value double precision not null -- milliseconds; CLS has no unit
);
create index vital_sample_day on vital_sample (day, metric, page);
create table vital_daily (
  day date not null,
  page text not null,
  metric text not null,
  samples integer not null,
  p75 double precision not null,
  primary key (day, metric, page)
);

-- Violations of the content security policy that browsers report, counted.
create table csp_daily (
  day date not null,
  directive text not null,
  blocked text not null, -- host, or a keyword such as inline
  reports bigint not null,
  primary key (day, directive, blocked)
);

-- Addresses that visitors left. Nothing but the question whether they meant it is mailed before they confirm.
create table email_capture (
  email_key text primary key check (length(email_key) between 3 and 254), -- folded
  email text not null check (length(email) between 3 and 254), -- as typed
  user_id text references app_user on delete cascade, -- the account that verified the address
  source text not null check (length(source) <= 64),
  context text check (length(context) <= 500),
  token_sha256 bytea not null unique check (length(token_sha256) = 32), -- of the link in the mail: confirms, and withdraws again
  asked_at timestamptz not null default clock_timestamp(), -- when the question was mailed last
  confirmed_at timestamptz,
  consent_text text, -- what was agreed to, word for word
  confirmed_from text -- shortened address, as consent keeps it
);
create index email_capture_user on email_capture (user_id);
create index email_capture_open on email_capture (asked_at) where confirmed_at is null;

-- An account that verified an address owns what was left under it, so that its export and its erasure have it too.
-- It runs as the owner of the tables: a user's own transaction sees no captured addresses.
create function own_captured_email() returns trigger language plpgsql security definer set search_path from current as $$
begin
  update email_capture set user_id = new.user_id where email_key = new.email_key;
  return new;
end $$;
create trigger app_user_owns_capture after update of email_verified_at on app_user
  for each row when (new.email_verified_at is not null and old.email_verified_at is null) execute function own_captured_email();

create table referral_code (
  user_id text primary key references app_user on delete cascade,
  code text not null unique check (code ~ '^[A-Z2-9]{10}$'),
  created_at timestamptz not null default clock_timestamp()
);
-- Who was brought by whom: once for each account.
create table referral (
  user_id text primary key references app_user on delete cascade, -- who was brought
  referrer_id text references app_user on delete set null,
  code text not null,
  attributed_at timestamptz not null default clock_timestamp(),
  converted_at timestamptz,
  converted_tier text,
  check ((converted_at is null) = (converted_tier is null))
);
create index referral_referrer on referral (referrer_id);

select protect_user_table('device'), protect_user_table('push_subscription'), protect_user_table('push_outbox'),
  protect_user_table('referral_code'), protect_user_table('referral');
