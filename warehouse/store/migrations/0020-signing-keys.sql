-- Revoked keys: from when on nothing signed with them counts, and the second signatures of the receipts that were stored before.

alter table signing_key add column compromised_from timestamptz;
-- A key that was marked before there was a time loses all of its receipts.
update signing_key set compromised_from = '-infinity' where status = 'compromised';
alter table signing_key add check ((status = 'compromised') = (compromised_from is not null));

-- A receipt of a revoked key that this database stored before the key was stolen, signed again over the same statement.
create table receipt_countersignature (
  receipt_id text primary key references receipt on delete cascade,
  kid text not null references signing_key,
  signature bytea not null check (octet_length(signature) = 64),
  signed_at timestamptz not null default clock_timestamp()
);
create index receipt_countersignature_kid on receipt_countersignature (kid);
-- The order in which receipts of one key were stored: a revocation splits them at an instant.
drop index receipt_kid;
create index receipt_kid on receipt (kid, created_at);
-- A receipt's payload is found by its receipt.
create index page_receipt on page (receipt_id) where receipt_id is not null;
