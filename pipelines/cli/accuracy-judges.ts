// The register: the folders of FACTS.md that are judged, one judge each.
import type { Judge } from './accuracy/compare.ts'
import { companyfacts } from './accuracy/companyfacts.ts'
import { form13f } from './accuracy/form13f.ts'
import { form345 } from './accuracy/form345.ts'
import { efts, index, sgml, submissions, tickers } from './accuracy/lists.ts'

/** A key of the facts file falls under the longest folder here that it begins with. */
export const judges: Readonly<Record<string, Judge>> = {
  companyfacts,
  form13f,
  form345,
  submissions,
  efts,
  sgml,
  eightk: sgml,
  tickers,
  index,
}
