// Register of the folders of FACTS.md that are compared, with one comparison each.

import { companyfacts } from './accuracy/companyfacts.ts'
import type { Evaluator, SlowEvaluator } from './accuracy/compare.ts'
import { diff } from './accuracy/diff.ts'
import { eightk } from './accuracy/eightk.ts'
import { form13f } from './accuracy/form13f.ts'
import { form345 } from './accuracy/form345.ts'
import { efts, index, sgml, submissions, tickers } from './accuracy/lists.ts'
import { offering } from './accuracy/offering.ts'
import { pdf } from './accuracy/pdf.ts'
import { schedule13 } from './accuracy/schedule13.ts'
import { tenk } from './accuracy/tenk.ts'

/** A key of the facts file belongs to the longest folder here that it begins with. */
export const evaluates: Readonly<Record<string, Evaluator | SlowEvaluator>> = {
  companyfacts,
  diff,
  form13f,
  form345,
  offering,
  pdf,
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
