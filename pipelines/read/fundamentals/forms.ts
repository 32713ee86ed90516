// Which filings change a company's facts, and which may state its results.
import { isResultsItem } from './content.ts'

/** Periodic reports, registration statements and recast statements: after them the SEC's company facts may hold something new. */
export const statesFacts = (form: string): boolean =>
  /^(?:10-[KQ]T?|20-F|40-F|6-K|8-K|(?:10|20FR|40FR)-?12[BG]|[SF]-(?:1|3|4|10|11)|424B[1-5]|POS AM)(?:\/A)?$/.test(form)

/** A Form 6-K names no items; of Forms 8-K, those with items for results, public disclosure or other events. */
export const mayReportResults = ({ form, items }: { readonly form: string; readonly items: readonly string[] }): boolean =>
  /^6-K(?:\/A)?$/.test(form) ||
  (/^8-K(?:\/A)?$/.test(form) && items.some(item => isResultsItem(item) || item === '7.01' || item === '8.01' || item === '9'))
