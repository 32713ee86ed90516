-- Logs from before this version give statistics of some columns without naming them, and deltalake then finds no row by the others. A log
-- that differs from its hash is rebuilt from the catalogue by the next start of the worker, or by `crossfile lake publish`.
update table_version set log_sha256 = '';
