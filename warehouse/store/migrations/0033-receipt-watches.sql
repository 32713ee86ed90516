-- Watches of signed answers, the bound on answers that were signed on request, and the results of re-executed receipts.

-- A question of which a user wants to know when its answer changes. Receipts are never deleted: their ids need no reference.
create table receipt_watch (
  watch_id text primary key, -- w_ and random letters
  user_id text not null references app_user on delete cascade,
  question text not null, -- as the statement names it: GET /api/v1/market/eod/RY.TO?from=2026-11-01
  first_receipt_id text not null, -- the answer that the user has
  receipt_id text not null, -- the newest answer; the next one is compared with it
  push boolean not null, -- the feed has every change; these report it in addition
  mail boolean not null,
  checked_release bigint not null, -- the answer of this release was compared
  checked_at timestamptz not null,
  datasets text[], -- that the answer reads; null: it was not answered yet
  problem text, -- why the newest release gave no answer; null: it did
  changes integer not null default 0, -- since it was made, also those that are no longer kept
  changed_at timestamptz,
  created_at timestamptz not null,
  unique (user_id, question)
);
create index receipt_watch_due on receipt_watch (checked_release, checked_at);
create index receipt_watch_receipt on receipt_watch (receipt_id);
create index receipt_watch_first on receipt_watch (first_receipt_id);

-- One change of a watched answer. Mail and push of it are written in the same transaction.
create table receipt_change (
  change_id text primary key, -- c_ and a hash of the watch and the new answer
  position bigint not null generated always as identity unique, -- the order of the feed; one writer at a time
  watch_id text not null references receipt_watch on delete cascade,
  user_id text not null references app_user on delete cascade,
  before_receipt_id text not null,
  before_release bigint not null,
  before_as_of timestamptz not null,
  after_receipt_id text not null,
  after_release bigint not null,
  after_as_of timestamptz not null,
  found_at timestamptz not null,
  count integer not null check (count >= 0), -- values that differ, also those that are not kept here
  reason text, -- why the values were not compared
  differences jsonb not null, -- the first differing values, as the operation of the difference prints them
  causes jsonb not null,
  mail_skipped text, -- why no mail was written; null: one was, or the watch wants none
  push_skipped text,
  unique (watch_id, after_receipt_id)
);
create index receipt_change_user on receipt_change (user_id, position);
create index receipt_change_watch on receipt_change (watch_id, position desc);
create index receipt_change_before on receipt_change (before_receipt_id);
create index receipt_change_after on receipt_change (after_receipt_id);

select protect_user_table('receipt_watch'), protect_user_table('receipt_change');

-- One row: the writer of changes holds it, so that positions are committed in their order.
create table receipt_change_turn (one boolean primary key default true check (one));
insert into receipt_change_turn default values;

-- When an answer that was signed on request was last used; null: the page belongs to a release, and is not subject to the bound.
alter table page add column used_at timestamptz;
create index page_used on page (used_at) include (operation) where used_at is not null;

-- Nightly re-executions: a sample of the receipts, drawn by its seed, and what came out.
create table reproduction_round (
  seed text primary key, -- the day and the size of the log: 2026-11-28/1234
  population bigint not null, -- receipts of which the sample was drawn
  size integer not null, -- receipts of the sample
  started_at timestamptz not null,
  ended_at timestamptz -- null: it is not finished
);
create table reproduction_result (
  seed text not null references reproduction_round on delete cascade,
  receipt_id text not null references receipt,
  result text not null check (result in ('equal', 'different', 'not_possible')),
  method text check (method in ('documents', 'release', 'stored_model')),
  reason text,
  difference jsonb, -- the first differing place: {path, before, after}
  milliseconds integer not null,
  primary key (seed, receipt_id)
);
create index reproduction_result_receipt on reproduction_result (receipt_id);
