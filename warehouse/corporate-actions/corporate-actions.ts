// Reads of corporate actions and of the restatement ledger.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CorporateAction } from '#schemas/corporate-actions.ts'
import type { adjustmentFactors } from '#schemas/corporate-actions.ts'
import type { StoredRow } from '#schemas/dataset.ts'
import type { Lake } from '../lake/lake.ts'

const sqlOf = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.sql`), 'utf8')
const findActionsSql = sqlOf('find-actions')
const findRevisionsSql = sqlOf('find-revisions')

export type Filter = { readonly from: string | null; readonly to: string | null; readonly as_of: string | null }
export type RevisionRow = StoredRow<typeof adjustmentFactors> & { readonly first_date: string | null; readonly last_date: string | null; readonly bars_restated: number }

export async function findActions(lake: Lake, symbols: readonly string[], filter: Filter & { readonly kind: string | null }): Promise<CorporateAction[]> {
  return await lake.query<CorporateAction>(
    findActionsSql,
    { from: filter.from ?? '0001-01-01', to: filter.to ?? '9999-12-31', kind: filter.kind, as_of: filter.as_of },
    { corporate_actions: symbols },
  )
}

export async function findRevisions(lake: Lake, symbols: readonly string[], filter: Filter & { readonly limit: number }): Promise<RevisionRow[]> {
  return await lake.query<RevisionRow>(
    findRevisionsSql,
    { from: filter.from ?? '0001-01-01', to: filter.to ?? '9999-12-31', limit: filter.limit, as_of: filter.as_of },
    { bars: symbols, adjustment_factors_history: symbols },
  )
}
