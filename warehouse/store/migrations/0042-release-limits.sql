-- The oldest release in a file's rows. Null: not known, or the rows do not contain their release. Merged files of before have none until the
-- worker reads it from them.
alter table lake_file add column release_min bigint;
update lake_file set release_min = fresh_release where release_in_rows;
