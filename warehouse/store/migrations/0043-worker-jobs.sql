-- The workers that run, each with the jobs of its jobs.yaml and why one does not run by its settings. Other processes may have other settings.
-- A worker removes its row when it stops. The row of a killed worker is recognised by seen_at, which a living worker sets every minute.
create table running_worker (
  worker text primary key, -- host:process:random
  host text not null,
  process integer not null,
  version text not null,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  jobs jsonb not null -- in the order of jobs.yaml: {"job": its definition, "why_off": a sentence, or null if the job runs}
);
