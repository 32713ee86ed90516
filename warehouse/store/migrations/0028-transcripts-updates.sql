-- Search over transcripts of calls, daily updates, and reviews by experts.

-- Which chunks a search finds: filled in the transaction of the commit that holds the rows, like filing_index. The texts are in the lake.
create table transcript_index (
  subject text collate "C" not null, -- a symbol, or the CIK of an exhibit's filer
  video_id text collate "C" not null,
  chunk_idx int not null,
  release_from bigint not null,
  known_from timestamptz not null,
  upload_date date not null,
  language text not null check (language in ('en', 'fr', '')), -- by whose rules the words are stemmed; '': not stemmed
  words tsvector not null, -- the different stems, each with its language in front: en:guidanc
  stems text not null, -- all of them in order, a blank on both sides of each: ' rais  guidanc '
  length int not null, -- how many
  withdrawn boolean not null, -- true: a shorter transcript replaced the one that had this chunk
  release_to bigint, -- the release that brought the next version of the chunk; null: this is the newest
  primary key (subject, video_id, chunk_idx, release_from)
);
create index transcript_index_words on transcript_index using gin (words);
alter table transcript_index alter column words set statistics 1000;
create table transcript_index_state (
  one boolean primary key default true check (one),
  complete boolean not null,
  words_version int not null -- of the way words are cut and stemmed; another one means that the index is filled again
);
insert into transcript_index_state (complete, words_version) values (true, 1);

-- What a day brought, written by rule from one release. A later release that knows more of the day adds a revision; none is changed.
create table daily_update (
  slug text not null check (slug ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}(-[a-z0-9-]{1,40})?$'),
  revision int not null check (revision >= 1),
  release bigint not null, -- that it was written from
  date date not null,
  ticker text, -- null: of the whole market
  category text not null,
  title text not null,
  summary text not null,
  body text not null, -- Markdown
  llm_provider text, -- null: no model phrased it
  statements jsonb not null, -- the sentences with their claims and receipts
  sha256 bytea not null check (length(sha256) = 32), -- over everything that is written
  rules text not null, -- edition of the rules that wrote it
  primary key (slug, revision)
);
create index daily_update_date on daily_update (date desc, slug);
-- How often an update was read: a number and nothing else.
create table daily_update_view (slug text primary key, views bigint not null check (views >= 0));

alter table app_user add column is_reviewer boolean not null default false;
create table expert_review (
  review_id text primary key, -- er_ and random letters
  user_id text not null references app_user on delete cascade,
  expert_id text not null check (length(expert_id) between 1 and 64), -- the label that the reviewer gives; user_id is who signed in
  category text not null check (length(category) between 1 and 64),
  verdict text not null check (length(verdict) between 1 and 200),
  rating int not null check (rating between 0 and 10),
  ai_prompt text not null check (length(ai_prompt) <= 32000),
  ai_output text not null check (length(ai_output) <= 32000),
  corrected_output text not null check (length(corrected_output) <= 32000),
  correction_notes text not null check (length(correction_notes) <= 32000),
  severity text not null check (length(severity) between 1 and 32),
  could_cause_investment_loss boolean not null,
  incident_id text, -- of the draft that it opened
  created_at timestamptz not null default clock_timestamp()
);
create index expert_review_user on expert_review (user_id, created_at);
create index expert_review_created on expert_review (created_at desc, review_id);
select protect_user_table('expert_review');

-- A draft is for administrators until one of them publishes it.
alter table incident add column draft boolean not null default false;
