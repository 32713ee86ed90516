-- The structure that the migrations make: for reading, and compared by schema.test.ts. Never edited, never run.
-- Rewritten by: npm test -- warehouse/schema.test.ts -u

create table public.api_key (
  key_id text not null,
  name text not null,
  owner text,
  sha256 bytea not null,
  last4 text not null,
  tier text not null,
  scopes text[] not null,
  allowed_addresses text[] default '{}'::text[] not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_as text,
  constraint api_key_pkey PRIMARY KEY (key_id),
  constraint api_key_sha256_key UNIQUE (sha256),
  constraint api_key_last4_check CHECK ((length(last4) = 4)),
  constraint api_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint api_key_sha256_check CHECK ((length(sha256) = 32))
);
CREATE INDEX api_key_owner ON public.api_key USING btree (owner) WHERE (owner IS NOT NULL);

create table public.backfill (
  backfill_id bigint generated always as identity not null,
  job text not null,
  from_date date not null,
  to_date date not null,
  symbols text[],
  requested_at timestamp with time zone default clock_timestamp() not null,
  constraint backfill_pkey PRIMARY KEY (backfill_id),
  constraint backfill_job_from_date_to_date_symbols_key UNIQUE NULLS NOT DISTINCT (job, from_date, to_date, symbols)
);

create table public.backfill_window (
  backfill_id bigint not null,
  partition text not null,
  state text default 'waiting'::text not null,
  finished_at timestamp with time zone,
  constraint backfill_window_pkey PRIMARY KEY (backfill_id, partition),
  constraint backfill_window_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text]))),
  constraint backfill_window_backfill_id_fkey FOREIGN KEY (backfill_id) REFERENCES backfill(backfill_id)
);

create table public.check_round (
  one boolean default true not null,
  started_at timestamp with time zone not null,
  constraint check_round_pkey PRIMARY KEY (one),
  constraint check_round_one_check CHECK (one)
);

create table public.component_check (
  component text not null,
  status text not null,
  latency_ms integer,
  detail text,
  checked_at timestamp with time zone not null,
  since timestamp with time zone not null,
  failing integer not null,
  passing integer not null,
  constraint component_check_pkey PRIMARY KEY (component),
  constraint component_check_status_check CHECK ((status = ANY (ARRAY['operational'::text, 'degraded'::text, 'down'::text, 'unscheduled'::text])))
);

create table public.component_hour (
  component text not null,
  hour timestamp with time zone not null,
  checks integer not null,
  good integer not null,
  worst text not null,
  constraint component_hour_pkey PRIMARY KEY (component, hour)
);
CREATE INDEX component_hour_hour ON public.component_hour USING btree (hour DESC, component);

create table public.dataset_release (
  dataset text not null,
  release bigint not null,
  rows bigint not null,
  constraint dataset_release_pkey PRIMARY KEY (dataset, release),
  constraint dataset_release_release_fkey FOREIGN KEY (release) REFERENCES release(release)
);

create table public.filing_index (
  accession bigint not null,
  cik bigint not null,
  part text not null,
  release_from bigint not null,
  known_from timestamp with time zone not null,
  filed_date date not null,
  form text collate "C" not null,
  words tsvector not null,
  withdrawn boolean not null,
  constraint filing_index_pkey PRIMARY KEY (accession, cik, part, release_from)
);
CREATE INDEX filing_index_day ON public.filing_index USING btree (filed_date DESC, accession DESC, cik DESC);
CREATE INDEX filing_index_form ON public.filing_index USING btree (form, filed_date DESC, accession DESC, cik DESC);
CREATE INDEX filing_index_words ON public.filing_index USING gin (words);

create table public.filing_index_state (
  one boolean default true not null,
  complete boolean not null,
  words_version integer not null,
  constraint filing_index_state_pkey PRIMARY KEY (one),
  constraint filing_index_state_one_check CHECK (one)
);

create table public.head (
  one boolean default true not null,
  release bigint not null,
  catalogue_version bigint not null,
  constraint head_pkey PRIMARY KEY (one),
  constraint head_one_check CHECK (one)
);

create table public.incident (
  incident_id text not null,
  component text,
  title text not null,
  impact text not null,
  body text,
  opened_by text not null,
  started_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  constraint incident_pkey PRIMARY KEY (incident_id),
  constraint incident_check CHECK (((resolved_at IS NULL) OR (resolved_at >= started_at))),
  constraint incident_impact_check CHECK ((impact = ANY (ARRAY['minor'::text, 'major'::text, 'critical'::text, 'maintenance'::text]))),
  constraint incident_opened_by_check CHECK ((opened_by = ANY (ARRAY['rule'::text, 'operator'::text]))),
  constraint incident_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200)))
);
CREATE UNIQUE INDEX incident_open ON public.incident USING btree (component) WHERE ((resolved_at IS NULL) AND (opened_by = 'rule'::text));
CREATE INDEX incident_started ON public.incident USING btree (started_at DESC, incident_id);

create table public.job_run (
  run_id bigint generated always as identity not null,
  job text not null,
  queue_job uuid,
  attempt integer not null,
  partition text not null,
  backfill_id bigint,
  worker text not null,
  state text not null,
  started_at timestamp with time zone default clock_timestamp() not null,
  finished_at timestamp with time zone,
  release bigint,
  documents bigint default 0 not null,
  fetched bigint default 0 not null,
  rows bigint default 0 not null,
  refused bigint default 0 not null,
  error text,
  constraint job_run_pkey PRIMARY KEY (run_id),
  constraint job_run_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text, 'lost'::text])))
);
CREATE INDEX job_run_job ON public.job_run USING btree (job, run_id DESC);

create table public.job_tick (
  job text not null,
  tick_at timestamp with time zone not null,
  constraint job_tick_pkey PRIMARY KEY (job, tick_at)
);

create table public.lake_file (
  file_id bigint generated always as identity not null,
  dataset text not null,
  bucket text not null,
  sha256 text not null,
  bytes bigint not null,
  rows bigint not null,
  tier integer not null,
  key_min text not null,
  key_max text not null,
  time_min text,
  time_max text,
  fresh_release bigint,
  release_max bigint not null,
  added_version bigint not null,
  removed_version bigint,
  removed_at timestamp with time zone,
  constraint lake_file_pkey PRIMARY KEY (file_id),
  constraint lake_file_dataset_sha256_key UNIQUE (dataset, sha256),
  constraint lake_file_fresh_release_fkey FOREIGN KEY (fresh_release) REFERENCES release(release)
);
CREATE INDEX lake_file_live ON public.lake_file USING btree (dataset) WHERE (removed_version IS NULL);

create table public.model_build (
  model text not null,
  definition text not null,
  release bigint not null,
  as_of text not null,
  sha256 text not null,
  bytes bigint not null,
  rows bigint not null,
  origins_sha256 text not null,
  origins_bytes bigint not null,
  sources jsonb not null,
  built_at timestamp with time zone default clock_timestamp() not null,
  build_ms bigint not null,
  constraint model_build_pkey PRIMARY KEY (model, definition, release, as_of),
  constraint model_build_release_fkey FOREIGN KEY (release) REFERENCES release(release)
);
CREATE INDEX model_build_file ON public.model_build USING btree (sha256);

create table public.page (
  operation text not null,
  question text not null,
  release_from bigint not null,
  payload bytea,
  receipt_id text,
  as_of timestamp with time zone not null,
  constraint page_pkey PRIMARY KEY (operation, question, release_from),
  constraint page_check CHECK (((payload IS NULL) = (receipt_id IS NULL))),
  constraint page_release_from_fkey FOREIGN KEY (release_from) REFERENCES release(release)
);

create table public.quarantine (
  quarantine_id bigint generated always as identity not null,
  dataset text not null,
  reason text not null,
  subject text not null,
  detail text not null,
  record jsonb,
  source text not null,
  raw_sha256 text not null,
  url text not null,
  held_at timestamp with time zone default clock_timestamp() not null,
  state text default 'held'::text not null,
  decided_at timestamp with time zone,
  note text,
  fingerprint text not null,
  constraint quarantine_pkey PRIMARY KEY (quarantine_id),
  constraint quarantine_fingerprint_key UNIQUE (fingerprint),
  constraint quarantine_state_check CHECK ((state = ANY (ARRAY['held'::text, 'released'::text, 'rejected'::text])))
);
CREATE INDEX quarantine_held ON public.quarantine USING btree (dataset, reason) WHERE (state = 'held'::text);

create unlogged table public.rate_budget (
  partition text not null,
  arrival_us bigint not null,
  day date not null,
  used bigint not null,
  granted bigint not null,
  constraint rate_budget_pkey PRIMARY KEY (partition)
);
CREATE INDEX rate_budget_day ON public.rate_budget USING btree (day);

create table public.raw_document (
  raw_id bigint generated always as identity not null,
  sha256 text not null,
  source text not null,
  url text not null,
  retrieved_at timestamp with time zone not null,
  status integer not null,
  headers jsonb not null,
  bytes bigint not null,
  pack text not null,
  pack_offset bigint not null,
  holds_body boolean not null,
  constraint raw_document_pkey PRIMARY KEY (raw_id),
  constraint raw_document_pack_pack_offset_key UNIQUE (pack, pack_offset)
);
CREATE INDEX raw_document_sha256 ON public.raw_document USING btree (sha256) WHERE holds_body;
CREATE INDEX raw_document_url ON public.raw_document USING btree (url, raw_id DESC);

create table public.reader_lease (
  process text not null,
  catalogue_version bigint not null,
  expires_at timestamp with time zone not null,
  address text,
  constraint reader_lease_pkey PRIMARY KEY (process)
);

create table public.reading (
  raw_id bigint not null,
  reader text,
  state text not null,
  release bigint,
  rows bigint not null,
  refused bigint not null,
  skipped jsonb not null,
  detail text,
  constraint reading_pkey PRIMARY KEY (raw_id),
  constraint reading_state_check CHECK ((state = ANY (ARRAY['read'::text, 'unread'::text, 'unreadable'::text]))),
  constraint reading_raw_id_fkey FOREIGN KEY (raw_id) REFERENCES raw_document(raw_id),
  constraint reading_release_fkey FOREIGN KEY (release) REFERENCES release(release)
);
CREATE INDEX reading_release ON public.reading USING btree (release);

create table public.receipt (
  receipt_id text not null,
  statement bytea not null,
  signature bytea not null,
  kid text not null,
  operation text not null,
  parameters text not null,
  release bigint not null,
  payload_sha256 text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint receipt_pkey PRIMARY KEY (receipt_id),
  constraint receipt_receipt_id_check CHECK ((receipt_id ~ '^r1_[a-z2-7]{51}[aq]$'::text)),
  constraint receipt_signature_check CHECK ((octet_length(signature) = 64)),
  constraint receipt_kid_fkey FOREIGN KEY (kid) REFERENCES signing_key(kid)
);
CREATE INDEX receipt_kid ON public.receipt USING btree (kid);
CREATE INDEX receipt_question ON public.receipt USING btree (operation, parameters, release DESC);

create table public.release (
  release bigint not null,
  parent bigint not null,
  committed_at timestamp with time zone not null,
  job text not null,
  partition text not null,
  batch_key text not null,
  constraint release_pkey PRIMARY KEY (release),
  constraint release_batch_key_key UNIQUE (batch_key)
);

create table public.schema_migrations (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table public.signing_key (
  kid text not null,
  x text not null,
  status text not null,
  valid_from bigint,
  valid_to bigint,
  from_index bigint,
  to_index bigint,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint signing_key_pkey PRIMARY KEY (kid),
  constraint signing_key_x_key UNIQUE (x),
  constraint signing_key_check CHECK (((status = 'pending'::text) OR (valid_from IS NOT NULL))),
  constraint signing_key_check1 CHECK ((valid_to >= valid_from)),
  constraint signing_key_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'retired'::text, 'compromised'::text])))
);
CREATE UNIQUE INDEX signing_key_one_active ON public.signing_key USING btree (status) WHERE (status = 'active'::text);

create table public.upstream_limit (
  name text not null,
  tat timestamp with time zone default '1970-01-01 00:00:00+00'::timestamp with time zone not null,
  stopped_until timestamp with time zone default '1970-01-01 00:00:00+00'::timestamp with time zone not null,
  stop_reason text,
  failures integer default 0 not null,
  opened_at timestamp with time zone,
  probe_at timestamp with time zone,
  quota_hour timestamp with time zone default '1970-01-01 00:00:00+00'::timestamp with time zone not null,
  hour_used integer default 0 not null,
  quota_day timestamp with time zone default '1970-01-01 00:00:00+00'::timestamp with time zone not null,
  day_used integer default 0 not null,
  verdict text default 'granted'::text not null,
  wait_ms double precision default 0 not null,
  constraint upstream_limit_pkey PRIMARY KEY (name),
  constraint upstream_limit_failures_check CHECK ((failures >= 0))
);
comment on table public.upstream_limit is 'Politeness towards upstreams: pace (GCRA), stops, breaker and quotas, one row per host group';
comment on column public.upstream_limit.tat is 'GCRA: theoretical arrival time of the next request';
comment on column public.upstream_limit.stopped_until is 'No process asks this upstream before this instant';
comment on column public.upstream_limit.failures is 'Failures in a row; at 5 the breaker opens';
comment on column public.upstream_limit.opened_at is 'Since when the breaker is open; null while it is closed';
comment on column public.upstream_limit.probe_at is 'When the open breaker last let one request through';
comment on column public.upstream_limit.quota_hour is 'UTC hour that hour_used counts';
comment on column public.upstream_limit.quota_day is 'UTC day that day_used counts';
comment on column public.upstream_limit.verdict is 'What the last taker was told: granted, stopped, open, quota_hour, quota_day or busy';
comment on column public.upstream_limit.wait_ms is 'How long the last taker was told to wait';
