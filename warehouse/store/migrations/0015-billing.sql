-- Daily caps, subscriptions, requests about an account that a person fulfils, and the second factor of administrators.

-- What a user has used of a daily cap (reliability.md, 5). One statement takes a unit and says whether it was there.
create table daily_use (
  user_id text not null references app_user on delete cascade,
  day date not null, -- UTC
  class text not null check (length(class) between 1 and 40), -- what is counted: assistant
  used integer not null check (used >= 0),
  primary key (user_id, day, class)
);
create index daily_use_day on daily_use (day);

-- What a user asks for and an administrator fulfils, once. One of a kind is open at a time: asking again changes it.
create table account_request (
  request_id bigint generated always as identity primary key,
  user_id text not null references app_user on delete cascade,
  kind text not null check (kind in ('change_tier', 'cancel')),
  note text check (length(note) <= 500), -- of a change: note; of a cancellation: reason
  target_tier text, -- null for a cancellation, which ends at the free tier
  received_at timestamptz not null, -- when it was asked for last
  eligible_at timestamptz not null, -- from when it may be fulfilled (warehouse/billing/request-rules.json)
  fulfilled_at timestamptz,
  fulfilled_by text, -- user_id of an administrator, or stripe
  check ((fulfilled_at is null) = (fulfilled_by is null)),
  check ((kind = 'change_tier') = (target_tier is not null))
);
create unique index account_request_open on account_request (user_id, kind) where fulfilled_at is null;
create index account_request_user on account_request (user_id, request_id);

-- Who a user is at Stripe.
create table billing_customer (
  user_id text primary key references app_user on delete cascade,
  customer_id text not null unique,
  created_at timestamptz not null default clock_timestamp()
);

-- Subscriptions as Stripe's events tell them. An event that is older than the newest one of its subscription changes nothing.
create table billing_subscription (
  subscription_id text primary key,
  user_id text not null references app_user on delete cascade,
  tier text not null,
  billing_interval text not null check (billing_interval in ('monthly', 'yearly')),
  status text not null, -- Stripe's word: active, past_due, canceled, …
  period_end timestamptz,
  cancel_at_period_end boolean not null,
  event_at timestamptz not null, -- created of the newest event; Stripe counts whole seconds
  event_rank integer not null -- order of events of one second: created, updated, deleted
);
create index billing_subscription_user on billing_subscription (user_id, subscription_id);

-- Every event that was taken, so that it acts once. Its content is not kept: it holds names and addresses.
create table billing_event (
  event_id text primary key,
  user_id text references app_user on delete cascade, -- null: it is about nobody we know
  type text not null check (length(type) <= 100),
  object_id text,
  created_at timestamptz not null, -- at Stripe
  received_at timestamptz not null,
  effect text not null -- what came of it: applied, older, not_followed, no_such_user, unknown_price
);
create index billing_event_user on billing_event (user_id, event_id) where user_id is not null;

-- The second factor of an administrator. Secrets are AES-256-GCM under a key file outside the database: nonce, text, tag.
create table admin_totp (
  user_id text primary key references app_user on delete cascade,
  secret bytea, -- null until a first enrolment is confirmed
  confirmed_at timestamptz,
  pending bytea, -- of an enrolment that waits for its first code
  pending_at timestamptz,
  last_step bigint not null default 0, -- of the newest code that was taken: only a later one is
  tries integer not null default 0, -- since tries_since; a code that is taken sets it back
  tries_since timestamptz not null default '-infinity',
  check ((secret is null) = (confirmed_at is null)),
  check ((pending is null) = (pending_at is null))
);

-- Codes of 80 random bits, each good once in the place of a TOTP code; here are their HMACs under the same key file.
create table admin_recovery_code (
  user_id text not null references app_user on delete cascade,
  hmac bytea not null check (length(hmac) = 32),
  used_at timestamptz,
  primary key (user_id, hmac)
);

create index app_user_admin on app_user (user_id) where is_admin;
-- Acts by and about one account.
create index audit_entry_actor on audit_entry (actor, seq);
create index audit_entry_subject on audit_entry (subject, seq);

-- The list of accounts, newest first, and its search by the beginning of an address.
create index app_user_newest on app_user (created_at desc, user_id);
create index app_user_email_beginning on app_user (email_key text_pattern_ops);

select protect_user_table('daily_use'), protect_user_table('account_request'), protect_user_table('billing_customer'),
  protect_user_table('billing_subscription'), protect_user_table('billing_event'), protect_user_table('admin_totp'),
  protect_user_table('admin_recovery_code');
