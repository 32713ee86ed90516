// The type of all tables of Postgres for kysely. Each folder that owns tables adds them to this interface (TypeScript's declaration
// merging), so that the store imports no folder above it.
import type { Generated } from 'kysely'

/** Tables by name, with their columns. */
export interface Database {
  /** The table of the migrator, the only one that no migration creates. */
  schema_migrations: { name: string; sha256: string; applied_at: Generated<string> }
}
