-- The clock of an installation of the bundled universe. The universe's data end on a fixed day, so everything that depends on
-- "today" in the data (look-backs, quotes, calendars, alerts) uses this instant instead of the machine's clock.

create table data_clock (
  one boolean primary key default true check (one),
  frozen_at timestamptz not null, -- what counts as now for the universe's data
  released_at timestamptz -- when the operator's own data arrived: from then on the machine's clock counts; null: the clock is frozen
);
