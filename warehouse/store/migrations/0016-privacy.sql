-- Consent as a chain of what people said, and the proof of what was erased.

-- Append-only: a withdrawal is a row of its own. The subject is a pseudonym: erasing the account destroys the key that it was made by.
create table consent_entry (
  seq bigint primary key,
  consent_id text not null unique, -- c_ and random letters
  at timestamptz not null,
  subject text not null, -- pseudonym of a user, or hash of the visitor's own session id
  consent_type text not null,
  consent_action text not null,
  consent_version text not null,
  privacy_policy_version text not null,
  language text not null,
  address_prefix text not null, -- /24 or /48
  agent text not null, -- family of the browser
  previous_id text, -- the subject's entry of this type before it
  previous bytea not null check (length(previous) = 32),
  hash bytea not null unique check (length(hash) = 32)
);
create index consent_entry_subject on consent_entry (subject, seq);
create trigger consent_entry_append_only before update or delete or truncate on consent_entry
  for each statement execute function refuse_change();

-- One row per erased account: that it was done, and how much. Nobody can be read from it.
create table erasure (
  subject_sha256 bytea primary key check (length(subject_sha256) = 32), -- of the user's id
  requested_at timestamptz not null,
  erased_at timestamptz not null,
  counts jsonb not null -- rows by table
);
