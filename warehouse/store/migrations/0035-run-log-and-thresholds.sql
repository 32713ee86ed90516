-- What a run of a job did, line by line: the requests to its source, its commits, what it refused. Removed 30 days after the line was written.
create table job_run_line (
  run_id bigint not null references job_run on delete cascade,
  line integer not null, -- from 1
  at timestamptz not null,
  level text not null check (level in ('debug', 'info', 'warn', 'error')),
  message text not null,
  primary key (run_id, line)
);
create index job_run_line_at on job_run_line (at);

-- A condition that compares the price with an average reads no threshold.
alter table alert alter column threshold drop not null;
