-- Models: rows computed once per release from the lake, each build one sealed Parquet file under data/models. Any of them can be made
-- again from the release that it stands on; nothing but speed hangs on this table.
create table model_build (
  model text not null,
  definition text not null, -- of the rows: another definition is built anew
  release bigint not null references release, -- the newest that changed an input: what the rows stand on
  as_of text not null, -- '' for all that the release knows, else the instant that nothing was known after
  sha256 text not null, -- of the file of the rows
  bytes bigint not null,
  rows bigint not null,
  origins_sha256 text not null, -- of the file that names the raw documents behind them
  origins_bytes bigint not null,
  sources jsonb not null, -- per upstream the newest instant at which one of the rows was known
  built_at timestamptz not null default clock_timestamp(),
  build_ms bigint not null,
  primary key (model, definition, release, as_of)
);
create index model_build_file on model_build (sha256);
