-- The clock of an installation of the bundled universe. The universe's data end on a fixed day, so everything that depends on
-- "today" in the data (look-backs, quotes, calendars, alerts) uses this instant instead of the machine's clock.

create table data_clock (
  one boolean primary key default true check (one),
  frozen_at timestamptz not null, -- what counts as now for the universe's data
  released_at timestamptz -- when the operator's own data arrived: from then on the machine's clock counts; null: the clock is frozen
);

-- A component that has nothing to show yet, in an installation that was made a short while ago.
alter table component_check drop constraint component_check_status_check;
alter table component_check add constraint component_check_status_check
  check (status in ('operational', 'degraded', 'down', 'unscheduled', 'loading'));
