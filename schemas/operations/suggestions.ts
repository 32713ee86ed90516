// What a client probably meant by a value that a parameter refuses: values in the spelling of this service, and where to look. Pure.
// The caller checks each value against the parameter before it names it, so a suggestion is never refused.

export type Suggestion = {
  /** Values in the spelling of the parameter, most likely first; more than one if the text is ambiguous. */
  readonly values: readonly string[]
  /** A sentence to add to the hint. */
  readonly note?: string
}
const none: Suggestion = { values: [] }
const digits = (text: string | undefined, length: number): string => (text ?? '').padStart(length, '0')

/** Days in other spellings: `20260102`, `2026/1/2`, `1/22/2026`, an instant, and seconds or milliseconds since 1970 in UTC. */
export function suggestDay(raw: string): Suggestion {
  const text = raw.trim()
  const since1970 = instantOfNumber(text)
  if (since1970 !== null) return { values: [since1970.slice(0, 10)] }
  const yearFirst = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?:[T ].*)?$/.exec(text) ?? /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?$/.exec(text)
  if (yearFirst) return { values: [`${yearFirst[1]}-${digits(yearFirst[2], 2)}-${digits(yearFirst[3], 2)}`] }
  const yearLast = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text)
  if (!yearLast) return none
  const [, first, second, year] = yearLast
  // The United States write the month first, most others the day.
  return { values: [...new Set([`${year}-${digits(first, 2)}-${digits(second, 2)}`, `${year}-${digits(second, 2)}-${digits(first, 2)}`])] }
}

/** Instants in other spellings: seconds or milliseconds since 1970, else the days of `suggestDay`. */
export function suggestMoment(raw: string): Suggestion {
  const instant = instantOfNumber(raw.trim())
  return instant === null ? suggestDay(raw) : { values: [instant] }
}

/** Ten digits are seconds since 1970, thirteen are milliseconds. */
function instantOfNumber(text: string): string | null {
  if (!/^\d{10}$|^\d{13}$/.test(text)) return null
  return `${new Date(Number(text) * (text.length === 10 ? 1000 : 1)).toISOString().slice(0, 19)}Z`
}

/** Symbols that are separated otherwise than by commas, or written as a list of JSON. */
export function suggestSymbols(raw: string): Suggestion {
  const parts = raw.split(/[\s,;|"'[\]]+/).filter(part => part !== '')
  return parts.length > 0 ? { values: [parts.join(',')] } : none
}

/** The first of several symbols. */
export function suggestSymbol(raw: string): Suggestion {
  const parts = raw.split(/[\s,;|"'[\]]+/).filter(part => part !== '')
  return parts.length > 1 ? { values: parts.slice(0, 1), note: 'this parameter is one symbol per request' } : none
}

/** A CIK with its letters before it; for a name, the operations that find its CIK. */
export function suggestCik(raw: string): Suggestion {
  const match = /^cik[\s=:#]*(\d{1,10})(?:\.json)?$/i.exec(raw.trim())
  if (match) return { values: [digits(match[1], 10)] }
  if (!/[a-z]/i.test(raw)) return none
  const name = encodeURIComponent(raw.trim().slice(0, 40).toWellFormed())
  return {
    values: [],
    note: `GET /api/v1/data/13f/managers?q=${name} finds the CIK of a manager, GET /api/v1/market/symbols?query=${name} that of a company`,
  }
}

/** For a CIK, the operation that lists its filings. */
export function suggestAccession(raw: string): Suggestion {
  const match = /^(?:cik)?0*(\d{1,10})$/i.exec(raw.trim())
  return match ? { values: [], note: `GET /api/v1/data/filings/search?cik=${digits(match[1], 10)} lists the filings of a CIK` } : none
}

/** Words of other services for the words of a parameter, such as `TSX` for `TO`. */
export const suggestWords =
  (others: Readonly<Record<string, string>>) =>
  (raw: string): Suggestion => {
    const word = others[raw.trim().toLowerCase()]
    return word === undefined ? none : { values: [word] }
  }

/** Exchanges by name, for parameters whose words are `US`, `TO` and `V`. */
export const exchangeWords: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['US', 'nyse nasdaq amex arca nysearca nysemkt bats otc usa xnys xnas xase nms nyq united-states'],
    ['TO', 'tsx tse tor xtse toronto'],
    ['V', 'tsxv tsx-v cve xtsx venture'],
  ].flatMap(([word = '', names = '']) => names.split(' ').map(name => [name, word] as const)),
)

/** Lengths of bars, for parameters whose words are `1m`, `5m`, `1h`. */
export const intervalWords: Readonly<Record<string, string>> = Object.fromEntries(
  [1, 5, 15, 30, 60].flatMap(minutes => {
    const word = minutes === 60 ? '1h' : `${minutes}m`
    return ['min', 'mins', 'minute', 'minutes', 'minutely', ...(minutes === 60 ? ['m'] : []), ''].map(unit => [`${minutes}${unit}`, word] as const)
  }),
)
