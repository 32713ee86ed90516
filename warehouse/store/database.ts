// Every table of Postgres as kysely sees it. Each folder that owns tables adds them to this interface (TypeScript's declaration merging),
// so that the store knows no folder above it.
import type { Generated } from 'kysely'

/** Tables by name, with their columns. */
export interface Database {
  /** The migrator's table, the only one that no migration creates. */
  schema_migrations: { name: string; sha256: string; applied_at: Generated<string> }
}
