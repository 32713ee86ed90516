// The inventory of personal data: every table with a reference to a user, why it is stored, for how long, and how export and erasure
// handle it. The policy, the export and the erasure use it; a missing table fails a test.
import rows from './inventory.json' with { type: 'json' }

export type Held = {
  readonly table: string
  /** The column that names the user, and the order in which the export lists the rows. */
  readonly user: string
  readonly order: readonly string[]
  readonly about: string
  readonly category: 'account' | 'security' | 'preferences' | 'portfolio' | 'communication' | 'consent' | 'billing' | 'operations'
  readonly basis: 'contract' | 'legitimate_interest' | 'consent' | 'legal_obligation'
  readonly retention: string
  /** Columns that the export omits, because they are secrets or hashes of them; null: the table is no data of the person, with the reason in `about`. */
  readonly withheld: readonly string[] | null
  /** `delete`: with the account. `keep_pseudonym`: a chain, whose pseudonym identifies no person once the account's key is destroyed. */
  readonly erase: 'delete' | 'keep_pseudonym'
  /** Deleted on the day of the erasure request: what opens the account or contacts the person. */
  readonly at_request?: 'delete'
}

type Row = Omit<Held, 'user' | 'withheld' | 'erase'> & Partial<Pick<Held, 'user' | 'withheld' | 'erase'>>

/**
 * The rows of inventory.json. Where one does not state it, the column `user_id` names the user, the export omits no column, and the rows are
 * deleted with the account.
 */
export const inventory: readonly Held[] = (rows as unknown as readonly Row[]).map(
  ({ table, user = 'user_id', order, about, category, basis, retention, withheld = [], erase = 'delete', ...more }) => ({
    table,
    user,
    order,
    about,
    category,
    basis,
    retention,
    withheld,
    erase,
    ...more,
  }),
)
