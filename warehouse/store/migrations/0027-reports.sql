-- Reports of the operator's inbox that users had processed.

create table report_task (
  task_id text primary key, -- rep_ and random letters
  user_id text not null references app_user on delete cascade,
  job_id uuid, -- of the queue; null before it was sent
  pdf_path text not null check (length(pdf_path) <= 512), -- below the inbox
  company_ticker text, -- canonical, as the request named it
  status text not null check (status in ('queued', 'running', 'succeeded', 'failed')),
  pages_read integer not null default 0 check (pages_read >= 0),
  page_count integer check (page_count >= 0), -- null until the document was opened
  error_code text,
  error_detail text,
  error_hint text,
  issuer_symbol text,
  issuer_name text,
  issuer_cik text,
  issuer_basis text check (issuer_basis in ('request', 'document')),
  result text, -- the JSON of a parsed document, as it is served; null until the task succeeded
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index report_task_user on report_task (user_id, created_at);

select protect_user_table('report_task');
