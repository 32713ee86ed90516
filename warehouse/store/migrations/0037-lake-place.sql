-- The bucket that has the files of the lake (CROSSFILE_LAKE); no row: they are in the data folder. Programs compare their setting with it.
create table lake_place (
  only_one boolean primary key default true check (only_one),
  address text not null, -- s3://bucket/prefix
  since timestamptz not null default clock_timestamp()
);
