-- What a user watches and holds.

create table watchlist_item (
  item_id text primary key, -- w_ and random letters
  user_id text not null references app_user on delete cascade,
  instrument_id text not null, -- of the listing: survives renames, and a reused symbol is another instrument
  symbol text not null, -- canonical, as the instrument wore it when the item was made
  tags text[] not null default '{}' check (cardinality(tags) <= 20),
  note text check (length(note) <= 500),
  position integer not null check (position >= 0), -- a user's items are numbered 0, 1, 2, … without gaps after each write
  created_at timestamptz not null default clock_timestamp(),
  unique (user_id, instrument_id),
  -- A move numbers several items anew in one statement.
  unique (user_id, position) deferrable initially deferred
);

create table portfolio_position (
  position_id text primary key, -- pos_ and random letters
  user_id text not null references app_user on delete cascade,
  ordinal integer not null, -- the order in which a user's positions were made; lists are in it
  instrument_id text, -- of the listing; null: no directory knew the symbol when the position was stated
  symbol text not null, -- canonical, as the instrument wore it when the position was stated
  -- numeric without a scale keeps the digits as they were sent (1.50 stays 1.50); nothing is rounded.
  quantity numeric not null check (abs(quantity) < 1e26 and scale(quantity) <= 12), -- signed: negative is short
  acb_per_share numeric check (acb_per_share >= 0 and acb_per_share < 1e26 and scale(acb_per_share) <= 12), -- null: unknown, never 0
  currency text not null check (currency ~ '^[A-Z]{3}$'), -- of acb_per_share
  account_type text not null check (length(account_type) between 1 and 32),
  note text check (length(note) <= 500),
  created_at timestamptz not null,
  stated_at timestamptz not null, -- when quantity and cost were last given: splits after it are not in them
  unique (user_id, ordinal)
);
-- One position of a security in each account and currency: what is held twice is told, never merged.
create unique index portfolio_position_once on portfolio_position (user_id, coalesce(instrument_id, symbol), account_type, currency);

select protect_user_table('watchlist_item'), protect_user_table('portfolio_position');
