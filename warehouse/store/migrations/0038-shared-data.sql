-- With a lake in a bucket, raw documents, the receipt log and models are there too, so that every host has them. False until the host that
-- had them on its disk has uploaded them.
alter table lake_place add column shared boolean not null default false;
