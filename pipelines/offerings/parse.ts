// One prospectus, registration statement or prospectus supplement: its row of `offerings` and its financial tables.
import { createHash } from 'node:crypto'
import { Unreadable } from '#schemas/errors.ts'
import { countWords, type Prose, readProse } from '../documents/prose.ts'
import type { Fact, Refused } from '../parsed.ts'
import { coverOf, type Evident, type Offered, type Place, priceTable, securitiesOn, securitiesSaid } from './cover.ts'
import { financialsIn } from './financials.ts'
import { paragraphsOf } from './paragraphs.ts'
import { issuerGetsNothing, netStated, reckoning } from './proceeds.ts'
import { isUseOfProceeds, type Outline, outlineOf, plainTitle, type Section } from './sections.ts'
import { isInitial, listingIn, lockUpIn, optionOf, type Price, priceIn, rangeIn, sellersIn, soldAtMarket } from './terms.ts'
import { underwritersOf } from './underwriters.ts'
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

/** Longest text that is read: a prospectus has under ten million characters; more is no prospectus. */
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
  const offering = offeringOf(prose, outline, cover, use, context, flags)
  if (use === null && offering.securities.length === 0 && offering.price === null && offering.net === null)
    throw new Unreadable('no_prospectus', `${subject}: no security on the cover and no section Use of Proceeds in ${prose.text.length} characters`)
  const financials = financialsIn(source, prose, outline, context)
  return { offering, financials: [...inlineFacts(source, context), ...financials.rows], refused: financials.refused }
}

/** The section that counts: the supplement's before the base prospectus's, one of the document's own level before a summary's. */
function useOfProceeds(outline: Outline, flags: string[]): Section | null {
  const all = outline.sections.filter(section => isUseOfProceeds(section.title) && section.end - section.bodyStart > 20)
  const own = all.filter(section => section.start < outline.baseStart)
  const linked = own.filter(section => section.found === 'contents')
  const summaryEnd = outline.sections.find(section => /^riskfactors/.test(plainTitle(section.title)))?.start ?? 0
  const behind = own.filter(section => section.start >= summaryEnd)
  const chosen = linked[0] ?? behind[0] ?? own[0] ?? all[0] ?? null
  if (chosen === null) flags.push('use_of_proceeds_not_found')
  else if (own.length === 0) flags.push('use_of_proceeds_of_base_prospectus')
  return chosen
}

type Sum = { readonly value: string | null; readonly option: string | null }
const nothing: Sum = { value: null, option: null }

function offeringOf(
  prose: Prose,
  outline: Outline,
  cover: Place,
  use: Section | null,
  context: ProspectusContext,
  flags: string[],
): Fact<'offerings'> {
  const evidence: Evident[] = []
  const note = (found: Evident | null): void => void (found && evidence.push(found))
  const coverText = prose.text.slice(cover.start, cover.end)
  const shown = securitiesOn(prose, cover)
  const securities = shown.length > 0 ? shown : securitiesSaid(prose, cover)
  const first = securities[0] ?? null
  const table = priceTable(prose, cover)
  for (const each of table?.evidence ?? []) evidence.push(each)

  const body: Place | null = use === null ? null : { start: use.bodyStart, end: use.end }
  const stated = body === null ? null : netStated(prose, body)
  const reckoned = body === null ? null : reckoning(prose, body)
  for (const each of reckoned?.evidence ?? []) evidence.push(each)
  if (reckoned?.severalColumns) flags.push('several_columns_of_proceeds')
  if (stated !== null) note({ field: 'net', start: stated.sentence.start, end: stated.sentence.end })
  if (stated?.disputed) flags.push('net_stated_twice')
  const nets = netOf(stated, reckoned?.values.net ?? nothing, flags)
  const resale = body !== null && stated === null && nets.exact.value === null && issuerGetsNothing(prose, body)

  const price = priceOf(prose, cover, outline, use, table, context.form)
  note(price.evidence)
  const said: Place = { start: cover.start, end: Math.min(prose.text.length, cover.end + 120_000) }
  const option = optionOf(prose, said)
  note(option?.evidence ?? null)
  const listing = listingIn(prose, { start: cover.start, end: Math.min(prose.text.length, cover.end + 60_000) })
  note(listing.evidence)
  const selling = sectionsNamed(outline, /^(?:underwriting|underwriters|planofdistribution)/)
  const lockUp = lockUpIn(prose, [
    ...selling,
    ...sectionsNamed(outline, /^shareseligible|^securitieseligible/),
    ...sectionsNamed(outline, /summary$|offering$/),
  ])
  note(lockUp.evidence)
  if (lockUp.disputed) flags.push('lock_up_periods_differ')
  const sellers = sellersIn(prose, cover)
  const shares = sharesOf(first, sellers, flags)
  const uses = body === null ? [] : usesIn(prose, body, reckoned?.rows ?? new Set())
  const useText = use === null ? null : prose.text.slice(use.start, use.end).trim()
  const of = (key: 'private_placement' | 'total' | 'offering_expenses' | 'trust'): Sum => reckoned?.values[key] ?? nothing
  const gross = reckoned?.values.gross ?? { value: table?.gross ?? null, option: table?.gross_with_option ?? null }
  const underwriting = reckoned?.values.underwriting ?? { value: table?.underwriting ?? null, option: table?.underwriting_with_option ?? null }
  const source = (place: Place): Place => ({
    start: prose.sourceOffset(place.start),
    end: prose.sourceOffset(Math.max(place.start, place.end - 1)) + 1,
  })
  const initial = isInitial(coverText)
  if (first !== null) note({ field: 'security', start: first.start, end: first.end })

  return {
    accession: context.accession,
    cik: context.cik,
    company: context.company,
    form: context.form,
    filed_date: context.filed_date,
    file_number: context.file_number ?? fileNumberIn(prose.text),
    document: context.document,
    document_kind:
      outline.baseStart < prose.text.length || /^\s*(?:\S+\s+){0,60}?prospectus supplement\b/i.test(coverText.slice(0, 800))
        ? 'supplement'
        : /^424B/.test(context.form)
          ? 'prospectus'
          : /^(?:40-F|6-K)/.test(context.form)
            ? 'exhibit'
            : 'registration',
    terms:
      /^424B/.test(context.form) &&
      !(table?.blank ?? false) &&
      !(stated !== null && stated.amount.value === null) &&
      !/\bsubject to completion\b|\bpreliminary prospectus\b/i.test(prose.text.slice(0, cover.start + 2500))
        ? 'final'
        : 'preliminary',
    initial,
    security: first?.security ?? null,
    security_title: first?.title ?? null,
    securities: securities.map(each => ({ security: each.security, title: each.title, count: each.count, ...source(each) })),
    shares,
    primary_shares: resale ? null : sellers.primary,
    secondary_shares: resale ? (sellers.secondary ?? shares) : sellers.secondary,
    overallotment_shares: option?.shares ?? null,
    overallotment_days: option?.days ?? null,
    currency: currencyOf(stated?.amount.currency ?? null, coverText, context.form),
    price: price.price,
    price_low: price.low,
    price_high: price.high,
    price_pct: table?.price_pct ?? null,
    price_basis: price.basis,
    gross: gross.value,
    gross_with_option: gross.option,
    private_placement: of('private_placement').value,
    private_placement_with_option: of('private_placement').option,
    total: of('total').value,
    total_with_option: of('total').option,
    underwriting: underwriting.value,
    underwriting_with_option: underwriting.option,
    offering_expenses: of('offering_expenses').value,
    offering_expenses_with_option: of('offering_expenses').option,
    trust: of('trust').value,
    trust_with_option: of('trust').option,
    net: nets.exact.value,
    net_with_option: nets.exact.option,
    net_approx: nets.near.value,
    net_approx_with_option: nets.near.option,
    net_before_expenses: table?.net_before_expenses ?? null,
    selling_holder_proceeds: table?.selling_holder_proceeds ?? null,
    placeholder: stated !== null && stated.amount.value === null && nets.exact.value === null,
    selling_holders_only: resale,
    use_of_proceeds_heading: use?.title ?? null,
    use_of_proceeds_start: use === null ? null : source(use).start,
    use_of_proceeds_end: use === null ? null : source(use).end,
    use_of_proceeds_sha256: useText === null ? null : createHash('sha256').update(useText).digest('hex'),
    use_of_proceeds_words: use === null ? null : countWords(prose.text, use.start, use.end),
    use_of_proceeds_text: useText,
    use_of_proceeds_summary: summaryLine(prose, outline, use),
    uses: resale ? [] : uses.map(item => ({ ...item, ...source(item) })),
    sensitivity: body === null ? [] : sensitivityIn(prose, body).map(item => ({ ...item, ...source(item) })),
    broad_discretion: useText === null ? null : hasBroadDiscretion(useText),
    underwriters: underwritersOf(prose, cover, selling[0] ?? null),
    lock_up_days: lockUp.holders,
    issuer_lock_up_days: lockUp.issuer,
    proposed_symbol: listing.symbol,
    exchange: listing.exchange,
    listing: listing.listing,
    evidence: evidence.map(each => ({
      field: each.field,
      text: prose.text
        .slice(each.start, Math.min(each.end, each.start + 400))
        .replace(/\s+/g, ' ')
        .trim(),
      ...source(each),
    })),
    flags,
  }
}

const sectionsNamed = (outline: Outline, title: RegExp): Section[] =>
  outline.sections.filter(section => section.start < outline.baseStart && title.test(plainTitle(section.title))).slice(0, 3)

/** The exact net of the table beside the rounded one of the sentence; a sentence without `approximately` is exact too. */
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

/** The table's price; else the range and the price that is assumed of it; else a price that the cover states. */
function priceOf(prose: Prose, cover: Place, outline: Outline, use: Section | null, table: ReturnType<typeof priceTable>, form: string): Price {
  if (table?.price != null) return { price: table.price, low: null, high: null, basis: /^424B/.test(form) ? 'fixed' : 'assumed', evidence: null }
  const range = rangeIn(prose, cover)
  const places: Place[] = [cover, ...(use ? [use] : []), ...sectionsNamed(outline, /offering$|summary$/)]
  for (const place of places) {
    const found = priceIn(prose, place)
    if (found)
      return {
        ...found,
        low: range?.low ?? null,
        high: range?.high ?? null,
        basis: found.basis === 'fixed' && !/^424B/.test(form) && range ? 'assumed' : found.basis,
      }
  }
  if (range) return range
  if (soldAtMarket(prose.text.slice(cover.start, cover.end))) return { price: null, low: null, high: null, basis: 'market', evidence: null }
  return { price: null, low: null, high: null, basis: null, evidence: null }
}

/** A bare dollar is the United States' in a filing with the SEC, unless the document says whose dollars it means. */
function currencyOf(stated: string | null, coverText: string, form: string): string | null {
  if (stated !== null) return stated
  if (/\bCanadian dollars\b/i.test(coverText) && !/\bU\.?S\.? dollars\b/i.test(coverText)) return 'CAD'
  if (/^(?:F-10|40-F|6-K)/.test(form) && !/US\$|U\.S\.\$|\bU\.?S\.? dollars\b/i.test(coverText)) return null
  return /[$]/.test(coverText) ? 'USD' : null
}

const fileNumberIn = (text: string): string | null => /\b(?:Registration|File)\b[^\d]{0,40}\b(333-\d{4,7})\b/i.exec(text.slice(0, 2500))?.[1] ?? null

/** The line `Use of proceeds` of the summary: its own words, which the section overrules. */
function summaryLine(prose: Prose, outline: Outline, use: Section | null): string | null {
  const until = Math.min(use?.start ?? prose.text.length, outline.baseStart)
  const blocks = prose.blocks
  const from = outline.sections[0]?.start ?? outline.coverEnd
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index]
    if (!block || block.start >= until) break
    if (block.start < from) continue
    const cells = prose.text
      .slice(block.start, block.end)
      .split('\t')
      .filter(cell => cell.trim() !== '')
    if (cells[0] === undefined || cells[0].length > 40 || !isUseOfProceeds(cells[0].trim())) continue
    if (cells.length > 1 && /^(?:S-)?\d{1,3}$/.test((cells.at(-1) as string).trim())) continue // a line of the contents
    const text = cells.slice(1).join(' ').trim()
    const next = blocks[index + 1]
    const shown = text.length > 20 ? text : next ? prose.text.slice(next.start, next.end) : ''
    if (shown.length > 40) return shown.replace(/\s+/g, ' ').slice(0, 3000)
  }
  return null
}
