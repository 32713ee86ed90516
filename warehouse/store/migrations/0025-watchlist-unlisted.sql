-- A symbol of which only bars are held can be watched: no directory lists it, so that it has no instrument yet.
alter table watchlist_item alter column instrument_id drop not null;
create unique index watchlist_item_unlisted on watchlist_item (user_id, symbol) where instrument_id is null;
