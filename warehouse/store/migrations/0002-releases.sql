-- The catalogue: what every release of every dataset is made of. Column names stay close to DuckLake's.

-- One row: the newest release, and the version of the file lists (raised by commits and by compaction).
create table head (
  one boolean primary key default true check (one),
  release bigint not null,
  catalogue_version bigint not null
);
insert into head (release, catalogue_version) values (0, 0);

create table release (
  release bigint primary key,
  parent bigint not null,
  committed_at timestamptz not null,
  job text not null,
  partition text not null,
  batch_key text not null unique -- the same batch delivered again is a no-op
);

-- Which datasets a release changed: an answer's version is the newest of the datasets that it reads.
create table dataset_release (
  dataset text not null,
  release bigint not null references release,
  rows bigint not null,
  primary key (dataset, release)
);

create table lake_file (
  file_id bigint generated always as identity primary key,
  dataset text not null,
  bucket text not null, -- folder: `new` for a commit's file, `t<tier>` for a compacted one
  sha256 text not null,
  bytes bigint not null,
  rows bigint not null,
  tier int not null, -- 0 a commit's file; n merged from files of tier n-1
  key_min text not null, -- range of the first order column, as text
  key_max text not null,
  time_min text,
  time_max text,
  fresh_release bigint references release, -- the release of all its rows; null: the rows carry it
  release_max bigint not null, -- newest release in it
  added_version bigint not null,
  removed_version bigint,
  removed_at timestamptz,
  unique (dataset, sha256)
);
create index lake_file_live on lake_file (dataset) where removed_version is null;

-- Every document ever received; the bytes lie in append-only packs, which also hold all of this.
create table raw_document (
  raw_id bigint generated always as identity primary key,
  sha256 text not null,
  source text not null,
  url text not null,
  retrieved_at timestamptz not null,
  status int not null,
  headers jsonb not null,
  bytes bigint not null,
  pack text not null,
  pack_offset bigint not null,
  holds_body boolean not null, -- false: an earlier record holds the same bytes
  unique (pack, pack_offset)
);
create index raw_document_url on raw_document (url, raw_id desc);
create index raw_document_sha256 on raw_document (sha256) where holds_body;

-- What was made of a document: read by which reader into which release, or not, and why.
create table reading (
  raw_id bigint primary key references raw_document,
  reader text, -- null: nobody reads this kind yet
  state text not null check (state in ('read', 'unread', 'unreadable')),
  release bigint references release, -- null: it changed nothing, or was not read
  rows bigint not null,
  refused bigint not null,
  skipped jsonb not null,
  detail text
);
create index reading_release on reading (release);

-- What was not taken, and the operator's word on it.
create table quarantine (
  quarantine_id bigint generated always as identity primary key,
  dataset text not null,
  reason text not null,
  subject text not null,
  detail text not null,
  record jsonb,
  source text not null,
  raw_sha256 text not null,
  url text not null,
  held_at timestamptz not null default clock_timestamp(),
  state text not null default 'held' check (state in ('held', 'released', 'rejected')),
  decided_at timestamptz,
  note text,
  fingerprint text not null unique -- the same finding of the same document stands once
);
create index quarantine_held on quarantine (dataset, reason) where state = 'held';

-- Precomputed, signed answers. Release N serves the newest page at or before N. A row without payload says that the question's
-- answer changed with that release and is made when it is first asked.
create table page (
  operation text not null,
  question text not null, -- canonical parameters
  release_from bigint not null references release,
  payload bytea,
  receipt_id text,
  as_of timestamptz not null,
  primary key (operation, question, release_from),
  check ((payload is null) = (receipt_id is null))
);

create table job_run (
  run_id bigint generated always as identity primary key,
  job text not null,
  queue_job uuid,
  attempt int not null,
  partition text not null, -- the window: a day, a month, a symbol
  backfill_id bigint,
  worker text not null,
  state text not null check (state in ('running', 'done', 'failed', 'lost')),
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  release bigint,
  documents bigint not null default 0,
  fetched bigint not null default 0,
  rows bigint not null default 0,
  refused bigint not null default 0,
  error text
);
create index job_run_job on job_run (job, run_id desc);

-- One row per scheduled moment: whoever inserts it sends the job, so that n workers schedule once.
create table job_tick (
  job text not null,
  tick_at timestamptz not null,
  primary key (job, tick_at)
);

create table backfill (
  backfill_id bigint generated always as identity primary key,
  job text not null,
  from_date date not null,
  to_date date not null,
  symbols text[],
  requested_at timestamptz not null default clock_timestamp(),
  unique nulls not distinct (job, from_date, to_date, symbols)
);
create table backfill_window (
  backfill_id bigint not null references backfill,
  partition text not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  finished_at timestamptz,
  primary key (backfill_id, partition)
);

-- A reader keeps the files of its catalogue version while its lease lives.
create table reader_lease (
  process text primary key,
  catalogue_version bigint not null,
  expires_at timestamptz not null
);
