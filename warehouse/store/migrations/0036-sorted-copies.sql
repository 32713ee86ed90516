-- Copies of lake files in another order, each one sealed Parquet file under data/models. Any of them can be made again from its file;
-- without them, the same questions are answered from the files, more slowly.
create table sorted_copy (
  source_sha256 text not null, -- the lake file with the same rows
  copy text not null, -- the name of the copy, a folder of data/models
  definition text not null, -- of its columns and order: a copy of another definition is made again
  sha256 text not null,
  bytes bigint not null,
  rows bigint not null,
  made_at timestamptz not null default clock_timestamp(),
  make_ms bigint not null,
  primary key (source_sha256, copy, definition)
);
create index sorted_copy_file on sorted_copy (sha256);
