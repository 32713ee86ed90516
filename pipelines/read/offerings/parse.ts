// One prospectus, registration statement or prospectus supplement: its row of `offerings` and its financial tables.
import { createHash } from 'node:crypto'
import { Unreadable } from '#schemas/errors.ts'
import { countWords, type Prose, readProse } from '#warehouse/documents/prose/prose.ts'
import type { Fact, Refused } from '../parsed.ts'
import { coverOf, type Evident, type Offered, type Place, securitiesOn, statedSecurities } from './cover.ts'
import { financialsIn } from './financials.ts'
import { listingIn } from './listing.ts'
import { paragraphsOf } from './paragraphs.ts'
import { type Parties, partiesOf } from './parties.ts'
import { isAtTheMarket, type Price, priceIn, rangeIn, soldAtMarket } from './price.ts'
import { type PriceTable, priceTable } from './price-table.ts'
import { issuerGetsNothing, issuerSells, netStated, proceedsTable } from './proceeds.ts'
import { type Outline, outlineOf, type Section } from './sections.ts'
import { isInitial, lockUpIn, optionOf, sellersIn } from './terms.ts'
import { underwritersOf } from './underwriters.ts'
import { currencyOf, fileNumberIn, sectionsNamed, summaryLine, useOfProceeds } from './use-section.ts'
import { hasBroadDiscretion, sensitivityIn, usesIn } from './uses.ts'
import { inlineFacts } from './xbrl.ts'

export type ProspectusContext = {
  readonly accession: string
  readonly cik: string
  readonly company: string | null
  readonly form: string
  readonly filed_date: string
  readonly file_number: string | null
  readonly document: string | null
}
export type Prospectus = {
  readonly offering: Fact<'offerings'>
  readonly financials: readonly Fact<'offering_financials'>[]
  readonly refused: readonly Refused[]
}

/** Maximum length of a text: a prospectus has less than ten million characters. */
const longest = 64 * 1024 * 1024

/** Reads a document. Throws `Unreadable`: `no_text`, `too_large`, `no_prospectus` (neither cover terms nor a Use of Proceeds). */
export function parseProspectus(source: string, context: ProspectusContext): Prospectus {
  const subject = `prospectus ${context.accession}`
  if (source.length > longest) throw new Unreadable('too_large', `${subject}: ${source.length} characters, limit ${longest}`)
  const prose = paragraphsOf(readProse(source))
  if (prose.text.length < 200) throw new Unreadable('no_text', `${subject}: ${prose.text.length} characters of text`)
  const outline = outlineOf(prose)
  const cover = coverOf(prose, outline)
  const flags: string[] = []
  const use = useOfProceeds(outline, flags)
  const reading: Reading = {
    prose,
    outline,
    cover,
    coverText: prose.text.slice(cover.start, cover.end),
    use,
    body: use === null ? null : { start: use.bodyStart, end: use.end },
    table: priceTable(prose, cover),
    form: context.form,
    parties: partiesOf(prose, context.company, Math.min(outline.baseStart, prose.text.length), cover.start),
    flags,
    evidence: [],
  }
  const offering = offeringOf(reading, context)
  if (
    use === null &&
    offering.securities.length === 0 &&
    offering.price === null &&
    offering.net === null &&
    offering.underwriters.length === 0 &&
    offering.proposed_symbol === null
  )
    throw new Unreadable('no_prospectus', `${subject}: no security on the cover and no section Use of Proceeds in ${prose.text.length} characters`)
  const financials = financialsIn(source, prose, outline, context)
  return { offering, financials: [...inlineFacts(source, context), ...financials.rows], refused: financials.refused }
}

/** The state of reading a document: results become parts of the row; positions and flags are collected separately. */
type Reading = {
  readonly prose: Prose
  readonly outline: Outline
  readonly cover: Place
  readonly coverText: string
  readonly use: Section | null
  readonly body: Place | null // of the section Use of Proceeds, after its heading
  readonly table: PriceTable | null
  readonly form: string
  readonly parties: Parties
  readonly flags: string[]
  readonly evidence: Evident[]
}
type Sum = { readonly value: string | null; readonly option: string | null }
const nothing: Sum = { value: null, option: null }

function offeringOf(reading: Reading, context: ProspectusContext): Fact<'offerings'> {
  const { prose, use, table, evidence, flags } = reading
  evidence.push(...(table?.evidence ?? []))
  const proceeds = proceedsOf(reading)
  const terms = termsOf(reading, proceeds.selling_holders_only)
  return {
    accession: context.accession,
    cik: context.cik,
    company: context.company,
    form: context.form,
    filed_date: context.filed_date,
    file_number: context.file_number ?? fileNumberIn(prose.text),
    document: context.document,
    document_kind: kindOf(reading),
    terms: isFinal(reading, proceeds.placeholder) ? 'final' : 'preliminary',
    initial: isInitial(reading.coverText),
    ...terms,
    ...proceeds,
    ...useFacts(reading, use, proceeds.selling_holders_only),
    ...sellersAndListing(reading, proceeds.selling_holders_only, terms),
    evidence: evidence.map(each => ({
      field: each.field,
      text: prose.text
        .slice(each.start, Math.min(each.end, each.start + 400))
        .replace(/\s+/g, ' ')
        .trim(),
      ...sourceOf(prose, each),
    })),
    flags,
  }
}

const note = ({ evidence }: Reading, found: Evident | null): void => void (found && evidence.push(found))
const sourceOf = (prose: Prose, place: Place): Place => ({
  start: prose.sourceOffset(place.start),
  end: prose.sourceOffset(Math.max(place.start, place.end - 1)) + 1,
})

function kindOf({ prose, outline, coverText, form }: Reading): Fact<'offerings'>['document_kind'] {
  if (outline.baseStart < prose.text.length || /^(?:preliminary )?prospectus supplement$/im.test(coverText.slice(0, 800))) return 'supplement'
  return /^(?:424B|253G)/.test(form) ? 'prospectus' : /^(?:40-F|6-K)/.test(form) ? 'exhibit' : 'registration'
}

/**
 * Forms that are filed when the price is known: Rule 424(b), Rule 497 of funds, the supplement of a Canadian issuer, and Rule 253(g) for
 * offering circulars of Regulation A.
 */
const isPriced = ({ form, prose }: Pick<Reading, 'form' | 'prose'>): boolean =>
  /^(?:424B|253G|497|SUPPL)/.test(form) ||
  /\bfiled pursuant to Rule 253\s?\(g\)|^\s*(?:pricing|prospectus) supplement\b(?! no\b)/im.test(prose.text.slice(0, 3000))

/** A prospectus without blanks that is not marked as preliminary. */
const isFinal = (reading: Reading, placeholder: boolean): boolean =>
  isPriced(reading) &&
  !(reading.table?.blank ?? false) &&
  !placeholder &&
  !/\bsubject to completion\b|\bpreliminary (?:prospectus|offering circular)\b/i.test(reading.prose.text.slice(0, reading.cover.start + 2500))

type Terms = Pick<
  Fact<'offerings'>,
  | 'security'
  | 'security_title'
  | 'securities'
  | 'shares'
  | 'primary_shares'
  | 'secondary_shares'
  | 'overallotment_shares'
  | 'overallotment_days'
  | 'price'
  | 'price_low'
  | 'price_high'
  | 'price_pct'
  | 'price_basis'
>
function termsOf(reading: Reading, resale: boolean): Terms {
  const { prose, cover, table, flags } = reading
  const shown = securitiesOn(prose, cover)
  const securities = shown.length > 0 ? shown : statedSecurities(prose, cover)
  const first = securities[0] ?? null
  const price = priceOf(reading, resale)
  const option = optionOf(prose, { start: cover.start, end: Math.min(prose.text.length, cover.end + 120_000) })
  const sellers = sellersIn(prose, cover)
  const shares = sharesOf(first, sellers, flags)
  note(reading, price.evidence)
  note(reading, option?.evidence ?? null)
  note(reading, first === null ? null : { field: 'security', start: first.start, end: first.end })
  return {
    security: first?.security ?? null,
    security_title: first?.title ?? null,
    securities: securities.map(each => ({ security: each.security, title: each.title, count: each.count, ...sourceOf(prose, each) })),
    shares,
    primary_shares: resale ? null : sellers.primary,
    secondary_shares: resale ? (sellers.secondary ?? shares) : sellers.secondary,
    overallotment_shares: option?.shares ?? null,
    overallotment_days: option?.days ?? null,
    price: price.price,
    price_low: price.low,
    price_high: price.high,
    price_pct: table?.price_pct ?? null,
    price_basis: price.basis,
  }
}

/** Amounts of the offering: the table of the section before that of the cover, the net of the section before that of the summary. */
function proceedsOf(reading: Reading) {
  const { prose, body, table, coverText, flags } = reading
  const stated = body === null ? null : netStated(prose, body)
  const parsedTable = body === null ? null : proceedsTable(prose, body)
  reading.evidence.push(...(parsedTable?.evidence ?? []))
  if (parsedTable?.severalColumns) flags.push('several_columns_of_proceeds')
  if (stated !== null) note(reading, { field: 'net', start: stated.sentence.start, end: stated.sentence.end })
  if (stated?.disputed) flags.push('net_stated_twice')
  const nets = netOf(stated, parsedTable?.values.net ?? nothing, flags)
  const sum = <K extends string>(name: K, { value, option }: Sum) =>
    ({ [name]: value, [`${name}_with_option`]: option }) as Record<K | `${K}_with_option`, string | null>
  const ofTable = (name: 'gross' | 'underwriting'): Sum => ({ value: table?.[name] ?? null, option: table?.[`${name}_with_option`] ?? null })
  return {
    currency: currencyOf(stated?.amount.currency ?? null, coverText, reading.form),
    ...sum('gross', parsedTable?.values.gross ?? ofTable('gross')),
    ...sum('private_placement', parsedTable?.values.private_placement ?? nothing),
    ...sum('total', parsedTable?.values.total ?? nothing),
    ...sum('underwriting', parsedTable?.values.underwriting ?? ofTable('underwriting')),
    ...sum('offering_expenses', parsedTable?.values.offering_expenses ?? nothing),
    ...sum('trust', parsedTable?.values.trust ?? nothing),
    ...sum('net', nets.exact),
    ...sum('net_approx', nets.near),
    net_before_expenses: table?.net_before_expenses ?? null,
    selling_holder_proceeds: table?.selling_holder_proceeds ?? null,
    placeholder: stated !== null && stated.amount.value === null && nets.exact.value === null,
    // A row of the cover's table that gives the issuer proceeds shows that it sells too.
    selling_holders_only: stated === null && nets.exact.value === null && !(Number(table?.net_before_expenses ?? 0) > 0) && onlyHoldersSell(reading),
  }
}

/** From the section Use of Proceeds; for a document without one, such as a later supplement of a resale, from its cover. */
function onlyHoldersSell({ prose, body, cover, coverText }: Reading): boolean {
  if (body !== null) return issuerGetsNothing(prose, body) && !issuerSells(`${coverText}\n${prose.text.slice(body.start, body.end)}`)
  const holders =
    /\b(?:resale|resold|offered|sold|sale)\b[^.]{0,160}\bby (?:the |certain |our )?(?:selling|registered) (?:stock|share|security|unit)?\s?holders?\b/i
  return (issuerGetsNothing(prose, cover) || holders.test(coverText)) && !issuerSells(coverText)
}

function useFacts({ prose, outline, body }: Reading, use: Section | null, resale: boolean) {
  const text = use === null ? null : prose.text.slice(use.start, use.end).trim()
  const place = use === null ? null : sourceOf(prose, use)
  const uses = body === null || resale ? [] : usesIn(prose, body, proceedsTable(prose, body).rows)
  return {
    use_of_proceeds_heading: use?.title ?? null,
    use_of_proceeds_start: place?.start ?? null,
    use_of_proceeds_end: place?.end ?? null,
    use_of_proceeds_sha256: text === null ? null : createHash('sha256').update(text).digest('hex'),
    use_of_proceeds_words: use === null ? null : countWords(prose.text, use.start, use.end),
    use_of_proceeds_text: text,
    use_of_proceeds_summary: summaryLine(prose, outline, use),
    uses: uses.map(item => ({ ...item, ...sourceOf(prose, item) })),
    sensitivity: body === null ? [] : sensitivityIn(prose, body).map(item => ({ ...item, ...sourceOf(prose, item) })),
    broad_discretion: text === null ? null : hasBroadDiscretion(text),
  }
}

/** The sellers, the lock-up of holders, and the present or future listing. */
function sellersAndListing(reading: Reading, resale: boolean, { security, security_title: title }: Terms) {
  const { prose, outline, cover, flags, parties } = reading
  const sellers = underwritersOf({ prose, outline, cover, parties, resale })
  const listing = listingIn(
    prose,
    // A merger's letter to the holders, which names the listings, precedes the prospectus.
    { start: /^[SF]-4/.test(reading.form) ? 0 : cover.start, end: Math.min(prose.text.length, outline.baseStart, cover.end + 60_000) },
    { names: parties.issuer, linked: isLinked(reading.coverText, security), security, title },
  )
  const selling = sectionsNamed(outline, /^(?:underwriting|underwriters|planofdistribution)/)
  const lockUp = lockUpIn(prose, [
    ...selling,
    ...sectionsNamed(outline, /^shareseligible|^securitieseligible/),
    ...sectionsNamed(outline, /summary$|offering$/),
  ])
  note(reading, listing.evidence)
  note(reading, lockUp.evidence)
  if (sellers.reason !== null) flags.push(`no_underwriters_${sellers.reason}`)
  if (lockUp.disputed) flags.push('lock_up_periods_differ')
  return {
    underwriters: [...sellers.named],
    lock_up_days: lockUp.holders,
    issuer_lock_up_days: lockUp.issuer,
    proposed_symbol: listing.symbol,
    exchange: listing.exchange,
    listing: listing.listing,
  }
}

/** Notes whose payments follow an index, a fund or another company's share. */
const isLinked = (coverText: string, security: string | null): boolean =>
  (security === 'note' || security === 'warrant' || security === null) &&
  /\b(?:notes|securities|certificates of deposit|ETNs|warrants)\b[^.]{0,160}\blinked to\b|\bmarket[- ]linked\b|\bbased on the performance of\b|\b(?:underlying|reference) (?:index|asset|stock|fund|etf)\b|\beach an? [“"](?:underlying|reference)|\bexchange traded notes\b|\bmarket measure\b/i.test(
    coverText,
  )

/** The exact net of the table next to the rounded one of the sentence; a sentence without `approximately` is exact too. */
function netOf(stated: ReturnType<typeof netStated>, table: Sum, flags: string[]): { exact: Sum; near: Sum } {
  const value = stated?.amount.value ?? null
  const option = stated?.option?.value ?? null
  if (stated === null || value === null) return { exact: table, near: nothing }
  if (stated.approximate) return { exact: table, near: { value, option } }
  if (table.value !== null && table.value !== value) flags.push('net_of_table_differs')
  return { exact: table.value === null ? { value, option } : { value: table.value, option: table.option ?? option }, near: nothing }
}

function sharesOf(first: Offered | null, sellers: { primary: string | null; secondary: string | null }, flags: string[]): string | null {
  if (first?.count != null) {
    if (sellers.primary !== null && sellers.secondary !== null && BigInt(sellers.primary) + BigInt(sellers.secondary) !== BigInt(first.count))
      flags.push('sellers_do_not_add_up')
    return first.count
  }
  if (sellers.primary !== null && sellers.secondary !== null) return `${BigInt(sellers.primary) + BigInt(sellers.secondary)}`
  return null
}

/** The price of the table; else the range with its assumed price; else a price that the cover states. */
function priceOf({ prose, cover, outline, use, table, form, coverText }: Reading, resale: boolean): Price {
  const nothing: Price = { price: null, low: null, high: null, basis: null, evidence: null }
  const priced = isPriced({ form, prose })
  // An offering statement of Regulation A states its price before it is qualified (Rule 253(b)), as best-efforts offerings at a fixed price
  // do.
  const stated = priced || /^1-A\b/.test(form) || /\bat an? (?:\w+ )?fixed (?:offering )?price\b/i.test(coverText)
  // A price in the table of a registration statement is assumed if the document calls it assumed, or gives a range.
  const fixed = stated || !/\bassum(?:ed|es|ing)\b|\bestimated (?:initial )?(?:public )?offering price\b/i.test(coverText)
  if (table?.price != null)
    return { ...nothing, price: table.price, basis: fixed && (stated || rangeIn(prose, cover) === null) ? 'fixed' : 'assumed' }
  if (!resale && isAtTheMarket(coverText)) return { ...nothing, basis: 'market' }
  const range = resale ? null : rangeIn(prose, cover)
  for (const place of [cover, ...(use ? [use] : []), ...sectionsNamed(outline, /offering$|summary$/)]) {
    const found = priceIn(prose, place, resale)
    if (!found) continue
    const basis = found.basis === 'fixed' && !priced && range ? 'assumed' : found.basis
    return { ...found, low: range?.low ?? null, high: range?.high ?? null, basis }
  }
  if (range) return range
  const plans = resale ? sectionsNamed(outline, /^planofdistribution/).map(place => prose.text.slice(place.start, place.end)) : []
  return { ...nothing, basis: [coverText, ...plans].some(text => soldAtMarket(text, resale)) ? 'market' : null }
}
