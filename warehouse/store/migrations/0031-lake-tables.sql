-- What other programs read of the lake: the release in every row, a manifest per release, and a Delta log per dataset.

-- True: the rows of a commit's file contain their release. False for files from before; the next publication replaces them.
alter table lake_file add column release_in_rows boolean not null default false;
update lake_file set release_in_rows = true where fresh_release is null;

-- The manifests that were written, by their hash.
create table release_manifest (
  release bigint primary key references release,
  sha256 text not null,
  bytes bigint not null
);

-- The versions of each dataset's Delta log: one per commit and per compaction that changed its files.
create table table_version (
  dataset text not null,
  version bigint not null,
  release bigint not null, -- the newest release whose rows it has
  catalogue_version bigint not null, -- the version of the file lists that it shows
  kind text not null check (kind in ('commit', 'compaction', 'schema', 'remade')),
  schema_sha256 text not null, -- of the columns, with their comments
  log_sha256 text not null, -- of the file <version>.json
  primary key (dataset, version)
);
