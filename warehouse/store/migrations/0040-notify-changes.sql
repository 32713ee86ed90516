-- Processes that answer from these tables are notified of each change, as they are of a release, instead of looking every second.
create function notify_release_state() returns trigger language plpgsql as $$
begin
  perform pg_notify('crossfile_release', '');
  return null;
end
$$;

-- For each row: a statement that changes none, as the checks of every minute run, notifies of nothing. Postgres sends equal notifications of
-- a transaction once.
create trigger data_clock_changed after insert or update or delete on data_clock for each row execute function notify_release_state();
create trigger signing_key_changed after insert or update or delete on signing_key for each row execute function notify_release_state();
create trigger damaged_file_changed after insert or update or delete on damaged_file for each row execute function notify_release_state();
create trigger model_build_changed after insert or update or delete on model_build for each row execute function notify_release_state();
create trigger sorted_copy_changed after insert or update or delete on sorted_copy for each row execute function notify_release_state();
