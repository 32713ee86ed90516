-- Keys of users: an owner is a user, whose rows nobody else sees.

-- Before there were users no key had an owner; one that names nobody must not become the operator's and live on.
update api_key set revoked_at = coalesce(revoked_at, clock_timestamp()), owner = null
  where owner is not null and not exists (select from app_user u where u.user_id = api_key.owner);
alter table api_key add constraint api_key_owner_fkey foreign key (owner) references app_user on delete cascade;

-- When the key was last sent in an address, which logs and histories keep: its owner is warned of it.
alter table api_key add column last_in_query_at timestamptz;
update api_key set last_in_query_at = last_used_at where last_used_as = 'query';

-- The keys of one owner, newest first.
drop index api_key_owner;
create index api_key_owner on api_key (owner, created_at desc, key_id) where owner is not null;

-- Keys of the operator (owner null) are there for none of the users.
alter table api_key enable row level security;
create policy own_rows on api_key using (owner = current_setting('app.uid', true)) with check (owner = current_setting('app.uid', true));
do $$
begin
  if exists (select from pg_roles where rolname = 'crossfile_user') then
    grant select, insert, update, delete on api_key to crossfile_user;
  end if;
end $$;
