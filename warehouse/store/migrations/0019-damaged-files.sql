-- Lake files whose content was found to differ from their SHA-256, by any process, until they are found whole again.
create table damaged_file (
  dataset text not null,
  sha256 text not null,
  reason text not null,
  found_by text not null, -- api, worker or cli
  found_at timestamptz not null default clock_timestamp(),
  primary key (dataset, sha256)
);
