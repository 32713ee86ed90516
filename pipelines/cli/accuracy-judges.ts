// The register: the folders of FACTS.md that are judged, one judge each.

import { companyfacts } from './accuracy/companyfacts.ts'
import type { Judge } from './accuracy/compare.ts'
import { diff } from './accuracy/diff.ts'
import { eightk } from './accuracy/eightk.ts'
import { form13f } from './accuracy/form13f.ts'
import { form345 } from './accuracy/form345.ts'
import { efts, index, sgml, submissions, tickers } from './accuracy/lists.ts'
import { offering } from './accuracy/offering.ts'
import { schedule13 } from './accuracy/schedule13.ts'
import { tenk } from './accuracy/tenk.ts'

/** A key of the facts file falls under the longest folder here that it begins with. */
export const judges: Readonly<Record<string, Judge>> = {
  companyfacts,
  diff,
  form13f,
  form345,
  offering,
  schedule13,
  submissions,
  efts,
  sgml,
  eightk: sgml,
  'eightk/raw': eightk,
  tenk,
  tickers,
  index,
}
