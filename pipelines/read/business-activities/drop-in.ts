// The operator's own reviews of what companies do. A file of the drop-in folder with the columns
//   symbol,status,reviewed_at,reviewer[,categories,impermissible_revenue_pct,quote,source_url,accession]
// in any order. `status` is clean, prohibited or questionable; `categories` are words of the Sharia rulesets with semicolons between
// them; `impermissible_revenue_pct` is their share of revenue in percent, 0 if the reviewer found none, empty if it was not
// measured. A row that is not clean needs its categories, a quote, and the source of the quote: an address or an accession number.
import { ActivityStatus } from '#schemas/business-activities.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { AccessionNumber } from '#schemas/values.ts'
import { categoryNames } from '#warehouse/rulesets/sharia/rules.ts'
import { csvRows } from '../csv/body.ts'
import { dayOf, decimalOf } from '../csv/cells.ts'
import type { Fact, Parsed, RawDocument, Reader, Refused } from '../parsed.ts'
import { dropInReader } from '../reader.ts'

type Cells = Readonly<Record<string, string>>
type Review = Fact<'business_activities'>
type Fault = { readonly reason: string; readonly detail: string }
const needed = ['symbol', 'status', 'reviewedat', 'reviewer'] as const
const known: readonly string[] = categoryNames

function reviewOf(cells: Cells, retrieved: string): Review | Fault {
  const symbol = parseSymbol(cells['symbol'] ?? '')?.symbol
  const status = ActivityStatus.safeParse(cells['status']?.toLowerCase())
  const day = dayOf(cells['reviewedat'])
  const categories = [...new Set((cells['categories'] ?? '').split(/[;|]/).map(each => each.trim().toLowerCase()))].filter(each => each !== '').sort()
  const strange = categories.find(each => !known.includes(each))
  const share = cells['impermissiblerevenuepct'] ? decimalOf(cells['impermissiblerevenuepct'].replace(/\s*%$/, '')) : null
  const accession = cells['accession'] ? AccessionNumber.safeParse(cells['accession']) : null
  const [quote, source, reviewer] = [cells['quote'] || null, cells['sourceurl'] || null, cells['reviewer'] ?? '']
  const fault = (reason: string, detail: string): Fault => ({ reason, detail })
  if (symbol === undefined) return fault('bad_symbol', `has symbol "${cells['symbol']?.slice(0, 40)}", expected e.g. AAPL, RY.TO or XYZ.V`)
  if (!status.success) return fault('unknown_status', `has status "${cells['status']?.slice(0, 40)}", expected ${ActivityStatus.options.join(', ')}`)
  if (day === null) return fault('bad_date', `has reviewed_at "${cells['reviewedat']?.slice(0, 40)}", expected YYYY-MM-DD`)
  if (day > retrieved.slice(0, 10)) return fault('date_ahead', `was reviewed on ${day}, after the file was read on ${retrieved.slice(0, 10)}`)
  if (reviewer === '') return fault('no_reviewer', 'names no reviewer')
  if (strange !== undefined) return fault('unknown_category', `has category "${strange.slice(0, 40)}", expected ${known.join(', ')}`)
  if (cells['impermissiblerevenuepct'] && (share === null || !(Number(share) >= 0 && Number(share) <= 100)))
    return fault(
      'bad_number',
      `has impermissible_revenue_pct "${cells['impermissiblerevenuepct'].slice(0, 40)}", expected a percentage from 0 to 100`,
    )
  if (accession !== null && !accession.success)
    return fault('bad_accession', `has accession "${cells['accession']?.slice(0, 40)}", expected e.g. 0000320193-24-000123`)
  if (source !== null && !/^https?:\/\/\S+$/.test(source)) return fault('bad_source', `has source_url "${source.slice(0, 80)}", expected an address`)
  if (status.data === 'clean' && categories.length > 0) return fault('clean_with_categories', `is clean and has ${categories.join(', ')}`)
  if (status.data !== 'clean' && categories.length === 0) return fault('no_category', `is ${status.data} and names no category`)
  if (status.data !== 'clean' && (quote === null || (source === null && accession === null)))
    return fault('no_quoted_source', `is ${status.data} and has no quote with source_url or accession`)
  return {
    symbol,
    reviewed_at: day,
    status: status.data,
    categories,
    impermissible_revenue_pct: share,
    quote,
    source_url: source,
    accession: accession?.data ?? null,
    reviewer,
    // The reviewer publishes the review by writing it down: it applies from the end of that day, not from when we read the file. One
    // dated on the day of reading applies from the time of reading.
    ...(day < retrieved.slice(0, 10) ? { known_from: `${day}T23:59:59Z`, known_basis: 'published' as const } : {}),
  }
}

function parse(document: RawDocument): Parsed {
  const reviews = new Map<string, Review>()
  const refused: Refused[] = []
  const skipped: Record<string, number> = {}
  for (const { cells, at } of csvRows(document, needed)) {
    const read = reviewOf(cells, document.retrieved_at)
    const refuse = ({ reason, detail }: Fault, subject: string): void => {
      refused.push({ dataset: 'business_activities', reason, subject, detail: `csv ${document.url}: line ${at} ${detail}`, record: { ...cells } })
    }
    if ('reason' in read) {
      refuse(read, cells['symbol'] || `line ${at}`)
      continue
    }
    const key = `${read.symbol} ${read.reviewed_at}`
    const before = reviews.get(key)
    if (before === undefined) reviews.set(key, read)
    else if (JSON.stringify(before) === JSON.stringify(read)) skipped['repeated_row'] = (skipped['repeated_row'] ?? 0) + 1
    else
      refuse(
        { reason: 'two_reviews_of_a_day', detail: `reviews ${read.symbol} a second time on ${read.reviewed_at}; the first is kept` },
        read.symbol,
      )
  }
  return { facts: reviews.size === 0 ? {} : { business_activities: [...reviews.values()] }, refused, skipped, follow: [] }
}

export const businessActivityReaders: readonly Reader[] = [
  dropInReader('csv.business-activities', 'business_activities', header => needed.every(column => header.includes(column)), parse),
]
