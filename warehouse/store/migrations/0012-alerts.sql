-- Alerts on prices and on offerings, what they were last judged to be, and every firing with what it was judged by.

create table alert (
  alert_id text primary key, -- a_ and random letters
  user_id text not null references app_user on delete cascade,
  scope text not null check (scope in ('ticker', 'watchlist')),
  ticker text not null check (length(ticker) between 1 and 16), -- the listing; of scope watchlist what was sent, which is not read
  instrument_id text, -- of the listing: survives renames, and a reused symbol is another instrument; null of scope watchlist
  condition text not null,
  threshold numeric not null check (threshold > 0), -- as it was made: what splits are reckoned from
  baseline_price numeric check (baseline_price > 0), -- given, else the last close when it was made; of scope watchlist null unless given
  condition2 text,
  threshold2 numeric check (threshold2 > 0),
  logic text check (logic in ('AND', 'OR')),
  note text check (length(note) <= 256),
  status text not null check (status in ('active', 'triggered', 'dismissed')),
  armed integer not null default 1, -- counts how often it was made active: a firing belongs to one arming
  armed_at timestamptz not null,
  triggered_at timestamptz,
  triggered_price numeric, -- null: it fired by an indicator while no price was usable
  triggered_symbol text,
  created_at timestamptz not null
);
create index alert_user on alert (user_id, created_at desc, alert_id desc);
create index alert_armed on alert (armed_at) where status = 'active';

-- What an alert was last judged to be for one listing: the state that a transition starts from.
create table alert_symbol (
  alert_id text not null references alert on delete cascade,
  user_id text not null references app_user on delete cascade,
  symbol text not null, -- as the alert or the watchlist names it
  baseline_price numeric, -- what a change in percent is reckoned from; null: there was no close
  priced_on date, -- the day in whose shares threshold and baseline are stated; null: no price was known yet
  splits jsonb not null default '[]', -- those since that day: [{ex_date, numerator, denominator}]
  holds boolean, -- the last judgement that was known; null: none was
  release bigint not null, -- that it was judged by
  primary key (alert_id, symbol)
);
create index alert_symbol_user on alert_symbol (user_id);

create table ipo_alert (
  ipo_alert_id text primary key, -- i_ and random letters
  user_id text not null references app_user on delete cascade,
  ticker text not null check (length(ticker) between 1 and 16), -- proposed or listed; it need not be known yet
  event text not null check (event in ('priced', 'listed', 'lockup_soon', 'range_amended')),
  lead_days integer not null check (lead_days between 1 and 90), -- before the end of the lock-up; other events do not read it
  note text check (length(note) <= 200),
  status text not null check (status in ('active', 'triggered', 'dismissed')),
  armed integer not null default 1,
  armed_at timestamptz not null,
  seen jsonb not null default '[]', -- events that had happened when it was armed: they are no news
  triggered_at timestamptz,
  created_at timestamptz not null
);
create index ipo_alert_user on ipo_alert (user_id, created_at desc, ipo_alert_id desc);
create index ipo_alert_active on ipo_alert (armed_at) where status = 'active';

-- One firing, once for each arming and listing, or for each event of a deal: why it fired.
create table alert_firing (
  firing_id text primary key, -- f_ and random letters
  user_id text not null references app_user on delete cascade,
  alert_id text references alert on delete cascade,
  ipo_alert_id text references ipo_alert on delete cascade,
  armed integer not null,
  subject text not null, -- the symbol; of an offering the event: priced 333-0000001
  fired_at timestamptz not null,
  release bigint not null, -- that made it true
  price numeric, -- the last price then
  rule text not null, -- the condition in words
  ruleset text not null,
  inputs jsonb not null, -- terms, readings, the price and its source, splits
  bars jsonb not null, -- the closes that were read, oldest first: [[date, close]]
  check ((alert_id is null) <> (ipo_alert_id is null)),
  unique (alert_id, armed, subject),
  unique (ipo_alert_id, subject)
);
create index alert_firing_user on alert_firing (user_id, fired_at desc, firing_id);
create index alert_firing_alert on alert_firing (alert_id, fired_at desc, firing_id);

-- By which way a firing is told, each once: the row is written with the mail or push that it stands for.
create table alert_delivery (
  firing_id text not null references alert_firing on delete cascade,
  channel text not null check (channel in ('api', 'mail', 'push')),
  user_id text not null references app_user on delete cascade,
  queued_at timestamptz not null,
  skipped text, -- why nothing was sent: the address is not verified, no device is registered
  primary key (firing_id, channel)
);
create index alert_delivery_user on alert_delivery (user_id);

-- Up to which release all alerts were evaluated, and since when their rows were read for it.
create table alert_round (
  kind text primary key check (kind in ('price', 'ipo')),
  release bigint not null,
  day date not null, -- of the evaluation: ends of lock-ups come nearer without a release
  read_at timestamptz not null
);

select protect_user_table('alert'), protect_user_table('alert_symbol'), protect_user_table('ipo_alert'),
  protect_user_table('alert_firing'), protect_user_table('alert_delivery');
