-- The release into which a document was first read. A reader of a newer version reads its documents again in a later release;
-- receipts of releases in between are reproduced from the documents that were read up to their release.

alter table reading add column first_release bigint references release; -- null: the same as release
