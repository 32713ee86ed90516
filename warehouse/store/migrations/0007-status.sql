-- What the service is like: the newest check of each component, how it was hour by hour, and incidents.

create table component_check (
  component text primary key, -- api, database, worker, storage, dataset:<name>, source:<name>
  status text not null check (status in ('operational', 'degraded', 'down', 'unscheduled')),
  latency_ms int,
  detail text, -- for the public: no address, no path, no secret
  checked_at timestamptz not null,
  since timestamptz not null, -- from when it has had this status
  failing int not null, -- checks in a row that were not good
  passing int not null -- checks in a row that were good
);

-- Hours in which nobody checked have no row: nothing is known of them.
create table component_hour (
  component text not null,
  hour timestamptz not null,
  checks int not null,
  good int not null,
  worst text not null,
  primary key (component, hour)
);
create index component_hour_hour on component_hour (hour desc, component);

create table incident (
  incident_id text primary key, -- inc_ and random letters
  component text, -- null: the operator named none
  title text not null check (length(title) between 1 and 200),
  impact text not null check (impact in ('minor', 'major', 'critical', 'maintenance')),
  body text,
  opened_by text not null check (opened_by in ('rule', 'operator')),
  started_at timestamptz not null,
  resolved_at timestamptz,
  check (resolved_at is null or resolved_at >= started_at)
);
create index incident_started on incident (started_at desc, incident_id);
-- The rule opens one incident per component at a time, however many workers check.
create unique index incident_open on incident (component) where resolved_at is null and opened_by = 'rule';

-- Whoever moves this row on makes the next round of checks.
create table check_round (
  one boolean primary key default true check (one),
  started_at timestamptz not null
);
insert into check_round (started_at) values ('-infinity');

-- Where an API process can be asked whether it answers.
alter table reader_lease add column address text;
