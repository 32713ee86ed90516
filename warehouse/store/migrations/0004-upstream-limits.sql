-- How politely each upstream is asked, shared by all processes: one row per host group, taken and changed by single
-- statements on the database's clock (pipelines/http/politeness-postgres.ts). Losing a row forgets a stop, never a datum.
create table upstream_limit (
  name text primary key,
  tat timestamptz not null default 'epoch',
  stopped_until timestamptz not null default 'epoch',
  stop_reason text,
  failures integer not null default 0 check (failures >= 0),
  opened_at timestamptz,
  probe_at timestamptz,
  quota_hour timestamptz not null default 'epoch',
  hour_used integer not null default 0,
  quota_day timestamptz not null default 'epoch',
  day_used integer not null default 0,
  verdict text not null default 'granted',
  wait_ms double precision not null default 0
);
comment on table upstream_limit is 'Politeness towards upstreams: pace (GCRA), stops, breaker and quotas, one row per host group';
comment on column upstream_limit.tat is 'GCRA: theoretical arrival time of the next request';
comment on column upstream_limit.stopped_until is 'No process asks this upstream before this instant';
comment on column upstream_limit.failures is 'Failures in a row; at 5 the breaker opens';
comment on column upstream_limit.opened_at is 'Since when the breaker is open; null while it is closed';
comment on column upstream_limit.probe_at is 'When the open breaker last let one request through';
comment on column upstream_limit.quota_hour is 'UTC hour that hour_used counts';
comment on column upstream_limit.quota_day is 'UTC day that day_used counts';
comment on column upstream_limit.verdict is 'What the last taker was told: granted, stopped, open, quota_hour, quota_day or busy';
comment on column upstream_limit.wait_ms is 'How long the last taker was told to wait';
