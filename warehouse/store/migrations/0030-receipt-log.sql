-- The receipt log (docs/receipts.md): which receipt, release or chain head is at which index of the tree, and every signed checkpoint.

-- The tree as last signed. One row; the sequencer replaces it only if `size` is still what it read.
create table log_head (
  one boolean primary key default true check (one),
  origin text not null, -- name of the log and of its keys in signed notes; never changes
  size bigint not null,
  frontier bytea not null check (octet_length(frontier) % 32 = 0), -- hashes of the complete subtrees, largest first
  releases_to bigint not null -- every release up to this one is in the log
);

create table log_entry (
  index bigint primary key check (index >= 0),
  kind text not null check (kind in ('receipt', 'release', 'chain', 'keys', 'recovered')),
  name text not null, -- receipt id, release number, chain and sequence number
  leaf bytea not null check (octet_length(leaf) = 32),
  entry bytea -- null: the entry follows from the statement of the receipt
);
create index log_entry_kind on log_entry (kind, index desc) where kind <> 'receipt';
create trigger log_entry_append_only before update or delete or truncate on log_entry
  for each statement execute function refuse_change();

-- Kept permanently: a proof is made against the first checkpoint that covers its entry, so its bytes never change.
create table log_checkpoint (
  size bigint primary key check (size > 0),
  root bytea not null check (octet_length(root) = 32),
  note text not null, -- the signed note, verbatim
  kid text not null references signing_key, -- who signed it
  signed_at timestamptz not null default clock_timestamp()
);
create trigger log_checkpoint_append_only before update or delete or truncate on log_checkpoint
  for each statement execute function refuse_change();

alter table receipt add column log_index bigint unique references log_entry;
create index receipt_unlogged on receipt (created_at, receipt_id) where log_index is null;
