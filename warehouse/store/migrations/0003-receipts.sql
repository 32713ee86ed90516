-- Receipts and the public halves of the keys that signed them. Private keys are files of the worker, never rows.

create table signing_key (
  kid text primary key, -- JWK thumbprint (RFC 7638)
  x text not null unique, -- Ed25519 public key, base64url
  status text not null check (status in ('pending', 'active', 'retired', 'compromised')),
  valid_from bigint, -- newest release when it began to sign; null: not yet
  valid_to bigint, -- newest release when it ceased to
  from_index bigint, -- range in the transparency log; null as long as there is none
  to_index bigint,
  created_at timestamptz not null default clock_timestamp(),
  check (status = 'pending' or valid_from is not null),
  check (valid_to >= valid_from)
);
-- At any time one key signs, however many workers there are.
create unique index signing_key_one_active on signing_key (status) where status = 'active';

create table receipt (
  receipt_id text primary key check (receipt_id ~ '^r1_[a-z2-7]{51}[aq]$'),
  statement bytea not null, -- canonical JSON, exactly what is signed
  signature bytea not null check (octet_length(signature) = 64),
  kid text not null references signing_key,
  operation text not null, -- the statement's question, taken apart: GET and path, and the query
  parameters text not null,
  release bigint not null,
  payload_sha256 text not null,
  created_at timestamptz not null default clock_timestamp()
);
create index receipt_question on receipt (operation, parameters, release desc);
create index receipt_kid on receipt (kid);
