-- What each API key was used for, by day (UTC) and class of limits: its owner sees the last thirty days.
create table key_usage (
  key_id text not null references api_key on delete cascade,
  owner text references app_user on delete cascade, -- of the key; null: the operator
  day date not null,
  class text not null check (class in ('reads', 'queries', 'files', 'agents')),
  requests bigint not null,
  units bigint not null, -- of the limits, of the requests that were not refused
  limited bigint not null, -- answered with 429
  refused bigint not null, -- answered with another 4xx
  failed bigint not null, -- answered with 5xx
  primary key (key_id, day, class)
);
create index key_usage_owner on key_usage (owner, day) where owner is not null;
create index key_usage_day on key_usage (day);

alter table key_usage enable row level security;
create policy own_rows on key_usage using (owner = current_setting('app.uid', true)) with check (owner = current_setting('app.uid', true));
do $$
begin
  if exists (select from pg_roles where rolname = 'crossfile_user') then
    grant select on key_usage to crossfile_user;
  end if;
end $$;
