-- Which filings a search finds: candidates by words, form and day, filled in the transaction of the commit that holds the rows.
-- What a filing says is read from the lake; a version that changes nothing that is searched for leaves no row here.
create table filing_index (
  accession bigint not null, -- the 18 digits of the accession number
  cik bigint not null,
  part text not null, -- '' for the filing itself, else which heading inside it the words are of
  release_from bigint not null,
  known_from timestamptz not null,
  filed_date date not null,
  form text collate "C" not null, -- so that beginnings of forms are found by the b-tree
  words tsvector not null, -- words as search-words.ts cuts them, and item numbers as `item:2.02`
  withdrawn boolean not null,
  primary key (accession, cik, part, release_from)
);
create index filing_index_day on filing_index (filed_date desc, accession desc, cik desc);
create index filing_index_form on filing_index (form, filed_date desc, accession desc, cik desc);
create index filing_index_words on filing_index using gin (words);
-- Ten thousand words are counted, so that a rare one is known for rare.
alter table filing_index alter column words set statistics 1000;

-- Whether every filing of the lake is in the index: not after a start of an older database, until the worker has filled it.
create table filing_index_state (
  one boolean primary key default true check (one),
  complete boolean not null,
  words_version int not null -- of the way words are cut; another one means that the index is filled anew
);
insert into filing_index_state (complete, words_version) select release = 0, 1 from head;
