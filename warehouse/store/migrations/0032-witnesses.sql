-- Witnesses of the receipt log (docs/receipts.md): their state, and the cosignatures that they gave to checkpoints.

-- When a rotation retired the key: for a day afterwards, it signs checkpoints together with the active one. Null: not retired, or before this column.
alter table signing_key add column retired_at timestamptz;

-- The witnesses of CROSSFILE_WITNESSES. A worker writes the list when it starts.
create table log_witness (
  vkey text primary key, -- name, key id and key (C2SP signed-note, verifier key)
  name text not null,
  url text not null,
  state text not null default 'waiting' check (state in ('waiting', 'ok', 'unreachable', 'refused', 'wrong')),
  detail text, -- why it is not ok
  state_since timestamptz not null default clock_timestamp(),
  size bigint not null default 0, -- the size that it cosigned last, as far as known here
  failures int not null default 0, -- attempts since the last success
  succeeded_at timestamptz,
  next_at timestamptz not null default clock_timestamp(), -- no worker sends a checkpoint before
  leased_until timestamptz not null default '-infinity' -- one worker at a time sends to it
);

create table log_cosignature (
  size bigint not null references log_checkpoint,
  vkey text not null,
  line text not null, -- the signature line, with its line end (C2SP tlog-cosignature)
  cosigned_at timestamptz not null, -- the time that the witness signed
  received_at timestamptz not null default clock_timestamp(),
  primary key (size, vkey)
);
create trigger log_cosignature_append_only before update or delete or truncate on log_cosignature
  for each statement execute function refuse_change();
