-- Columns that a dataset got after a lake file was written: the file lacks them, and readers fill them in (schemas/dataset.ts, `absent`).
alter table lake_file add column lacks text[] not null default '{}';
update lake_file set lacks = '{basis}' where dataset in ('bars', 'bar_corrections');
