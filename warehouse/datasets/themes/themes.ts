import { addDays } from '#schemas/days.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { type Theme, type ThemeRule, themeRules } from '../../rulesets/themes/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import { type PairBook, stateOf } from '../dual-listings/pairs.ts'
import { interlisted } from '../symbols/interlisted.ts'
import type { Interval, SymbolIndex } from '../symbols/symbol-index.ts'
import { comparable, fits, type Subject } from './membership.ts'

const statements = sqlIn(import.meta.dirname, ['find-dividends'])

const issuersSql = 'select cik, name, sic, sic_title, state_of_incorporation, source, known_from, raw_sha256 from issuers order by cik'

type Provenance = { readonly source: string; readonly known_from: string; readonly raw_sha256: string }
type IssuerRow = Provenance & {
  readonly cik: string
  readonly name: string | null
  readonly sic: string
  readonly sic_title: string | null
  readonly state_of_incorporation: string | null
}
type DividendRow = Provenance & { readonly symbol: string; readonly ex_date: string }

export type Member = {
  readonly line: Interval
  readonly cik: string | null
  readonly rule: ThemeRule
  /** What the rule found, e.g. the industry's title; null if the rule explains the match without it. */
  readonly found: string | null
  /** True if it depends on EDGAR's data about the issuer. */
  readonly fromIssuer: boolean
  /** Rows that the membership depends on. */
  readonly rows: readonly Provenance[]
}
/** `listings`: how many lines the rules were applied to. */
export type ThemeMembers = { readonly theme: Theme; readonly members: readonly Member[]; readonly listings: number }
/** What membership is read from. */
export type ThemeContext = { readonly lake: Lake; readonly symbols: SymbolIndex; readonly pairs: PairBook }
type Candidate = {
  readonly subject: Subject
  readonly line: Interval
  readonly cik: string | null
  readonly issuer: IssuerRow | null
  readonly pairRows: readonly Provenance[]
}

type Filers = { readonly byCik: ReadonlyMap<string, IssuerRow>; readonly bySymbol: ReadonlyMap<string, string> }
/** EDGAR's entities, and the SEC's own map of symbols to them: what insiders put on their forms decides no theme. */
async function readFilers(lake: Lake, asOf: string | null): Promise<Filers> {
  const [issuers, mapped] = await Promise.all([
    lake.query<IssuerRow>(issuersSql, { as_of: asOf }, { issuers: 'all' }),
    lake.query<{ symbol: string; cik: string }>(
      'select symbol, cik from issuer_tickers order by symbol, cik',
      { as_of: asOf },
      { issuer_tickers: 'all' },
    ),
  ])
  const pairs = mapped.flatMap(({ symbol, cik }): [string, string][] => {
    const canonical = parseSymbol(symbol)
    return canonical?.exchange === 'US' ? [[canonical.symbol, cik]] : []
  })
  return { byCik: new Map(issuers.map(row => [row.cik, row])), bySymbol: new Map(pairs) }
}

/** The issuer's CIK: of the listing, of the SEC's map, or of its lines across the border if they name one. */
function cikOf({ symbols }: ThemeContext, { bySymbol }: Filers, line: Interval, across: readonly string[]): string | null {
  const own = line.cik ?? bySymbol.get(line.symbol)
  if (own !== undefined) return own
  const ciks = new Set(across.map(symbol => symbols.find(symbol)?.cik ?? bySymbol.get(symbol)).filter(cik => cik !== undefined))
  return ciks.size === 1 ? ([...ciks][0] as string) : null
}

/** Facts of a line that need only the listings. */
type Prepared = { readonly line: Interval; readonly name: string; readonly across: readonly string[] }
const prepared = new WeakMap<SymbolIndex, readonly Prepared[]>()
/** Every listed line with its name as rules compare it; half a second for 51,000 of them, once for all releases that agree on the listings. */
function preparedOf(symbols: SymbolIndex): readonly Prepared[] {
  const known = prepared.get(symbols)
  if (known) return known
  const listed = symbols.all.map(symbol => symbols.find(symbol)).filter(line => line !== null && line.valid_to === null) as Interval[]
  const made = listed.map(line => ({
    line,
    name: ` ${comparable(line.issuer ?? '').trim()} ${comparable(line.name).trim()} `,
    across: interlisted(symbols, line.symbol),
  }))
  prepared.set(symbols, made)
  return made
}

function candidateOf(context: ThemeContext, filers: Filers, { line, name, across }: Prepared, date: string): Candidate {
  const { symbol } = line
  const cik = cikOf(context, filers, line, line.exchange === 'US' ? [] : across)
  const issuer = cik === null ? null : (filers.byCik.get(cik) ?? null)
  const pairs = context.pairs.of(symbol).filter(pair => stateOf(pair, date) === 'current')
  return {
    line,
    cik,
    issuer,
    pairRows: pairs.flatMap(pair => (pair.origin ? [pair.origin] : [])),
    subject: {
      symbol,
      exchange: line.exchange,
      type: line.type,
      currency: line.currency,
      name,
      sic: issuer?.sic ?? null,
      state: issuer?.state_of_incorporation ?? null,
      interlisted: pairs.length > 0 || across.length > 0,
    },
  }
}

async function dividendsOf(
  lake: Lake,
  symbols: readonly string[],
  date: string,
  asOf: string | null,
): Promise<ReadonlyMap<string, readonly DividendRow[]>> {
  const days = Math.max(0, ...themeRules.themes.flatMap(theme => theme.rules.map(rule => rule.dividends?.days ?? 0)))
  if (symbols.length === 0) return new Map()
  const rows = await lake.query<DividendRow>(
    statements['find-dividends'],
    { since: addDays(date, -days), until: date, as_of: asOf },
    { corporate_actions: symbols },
  )
  return Map.groupBy(rows, row => row.symbol)
}

function memberOf(rule: ThemeRule, candidate: Candidate, dividends: ReadonlyMap<string, readonly DividendRow[]>, date: string): Member | null {
  if (!fits(rule, candidate.subject, themeRules)) return null
  const { line, cik, issuer, pairRows } = candidate
  const paid = (rule.dividends ? (dividends.get(line.symbol) ?? []) : []).filter(row => row.ex_date >= addDays(date, -(rule.dividends?.days ?? 0)))
  const exDates = new Set(paid.map(row => row.ex_date)).size
  if (rule.dividends && exDates < rule.dividends.at_least) return null
  const found = rule.dividends
    ? `${exDates} ex-dates`
    : rule.sic && issuer
      ? `SIC ${issuer.sic}${issuer.sic_title === null ? '' : `, ${issuer.sic_title}`}`
      : null
  const fromIssuer = rule.sic !== undefined || rule.country !== undefined ? issuer : null
  return {
    line,
    cik,
    rule,
    found,
    fromIssuer: fromIssuer !== null,
    rows: [line, ...(fromIssuer ? [fromIssuer] : []), ...paid, ...(rule.interlisted ? pairRows : [])],
  }
}

const held = new WeakMap<Lake, Map<string, Promise<readonly ThemeMembers[]>>>()

/**
 * The members of all themes on a day, as known at `asOf`; by symbol, each under the first rule that matches it. Calculated once per lake
 * and shared by the pages of a commit.
 */
export function findMembers(context: ThemeContext, date: string, asOf: string | null): Promise<readonly ThemeMembers[]> {
  const known = held.get(context.lake) ?? new Map<string, Promise<readonly ThemeMembers[]>>()
  held.set(context.lake, known)
  const key = `${date} ${asOf}`
  const members = known.get(key) ?? readMembers(context, date, asOf)
  known.set(key, members)
  return members
}

async function readMembers(context: ThemeContext, date: string, asOf: string | null): Promise<readonly ThemeMembers[]> {
  const { lake } = context
  const filers = await readFilers(lake, asOf)
  const listed = preparedOf(context.symbols)
  const candidates = listed.map(each => candidateOf(context, filers, each, date))
  const paying = themeRules.themes.flatMap(theme => theme.rules).filter(rule => rule.dividends !== undefined)
  const requested = candidates.filter(({ subject }) => paying.some(rule => fits(rule, subject, themeRules))).map(({ line }) => line.symbol)
  const dividends = await dividendsOf(lake, requested, date, asOf)
  return themeRules.themes.map(theme => ({
    theme,
    listings: listed.length,
    members: candidates.flatMap(candidate => {
      for (const rule of theme.rules) {
        const member = memberOf(rule, candidate, dividends, date)
        if (member) return [member]
      }
      return []
    }),
  }))
}

/** Every document about the members' issuers: values that a later one omits come from an earlier one. */
export async function issuerOrigins(lake: Lake, members: readonly Member[]): Promise<Provenance[]> {
  const ciks = [...new Set(members.filter(member => member.fromIssuer).map(member => member.cik as string))].sort()
  if (ciks.length === 0) return []
  return await lake.query<Provenance>('select distinct source, raw_sha256, known_from from issuers_history', {}, { issuers_history: ciks })
}
