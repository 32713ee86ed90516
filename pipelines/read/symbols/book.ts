// The known intervals while a document is processed: by symbol, by instrument, and which of them changed.
import { createHash } from 'node:crypto'
import type { FactsOf } from '../parsed.ts'

export type IntervalFacts = FactsOf<'symbols'>
/** A known interval and the source that last wrote it. */
export type KnownInterval = IntervalFacts & { readonly source: string }

/** `i_` and 16 hex digits of the SHA-256 of the first symbol and day under which the instrument was seen. */
export function instrumentId(exchange: string, symbol: string, validFrom: string): string {
  return `i_${createHash('sha256').update(`${exchange}|${symbol}|${validFrom}`).digest('hex').slice(0, 16)}`
}

const keyOf = ({ symbol, valid_from }: Pick<IntervalFacts, 'symbol' | 'valid_from'>): string => `${symbol}|${valid_from}`

export type Book = {
  /** Intervals of a symbol, oldest first. */
  readonly of: (symbol: string) => readonly KnownInterval[]
  readonly all: () => Iterable<KnownInterval>
  /** Adds an interval or replaces the one with its symbol and first day. */
  readonly put: (interval: KnownInterval) => KnownInterval
  /** Gives every interval of one instrument another instrument's id. */
  readonly join: (from: string, into: string) => void
  /** Intervals that are not as they were, ordered by key. */
  readonly changed: () => IntervalFacts[]
}

export function openBook(known: readonly KnownInterval[]): Book {
  const original = new Map<string, KnownInterval>()
  const bySymbol = new Map<string, KnownInterval[]>()
  const byInstrument = new Map<string, Set<string>>()
  const touched = new Map<string, KnownInterval>()
  const insert = (interval: KnownInterval): void => {
    const list = bySymbol.get(interval.symbol)
    if (!list) bySymbol.set(interval.symbol, [interval])
    else {
      const at = list.findIndex(other => other.valid_from >= interval.valid_from)
      if (at < 0) list.push(interval)
      else list.splice(at, list[at]!.valid_from === interval.valid_from ? 1 : 0, interval)
    }
    const keys = byInstrument.get(interval.instrument_id)
    if (keys) keys.add(keyOf(interval))
    else byInstrument.set(interval.instrument_id, new Set([keyOf(interval)]))
  }
  for (const interval of known) {
    original.set(keyOf(interval), interval)
    insert(interval)
  }
  const put = (interval: KnownInterval): KnownInterval => {
    insert(interval)
    touched.set(keyOf(interval), interval)
    return interval
  }
  const find = (key: string): KnownInterval | undefined => {
    const [symbol = '', day = ''] = key.split('|')
    return bySymbol.get(symbol)?.find(interval => interval.valid_from === day)
  }
  return {
    of: symbol => bySymbol.get(symbol) ?? [],
    all: function* () {
      for (const list of bySymbol.values()) yield* list
    },
    put,
    join: (from, into) => {
      if (from === into) return
      for (const key of byInstrument.get(from) ?? []) {
        const interval = find(key)
        if (interval?.instrument_id === from) put({ ...interval, instrument_id: into })
      }
      byInstrument.delete(from)
    },
    changed: () =>
      [...touched.values()]
        .filter(interval => !sameFacts(original.get(keyOf(interval)), interval))
        .map(factsOf)
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  }
}

/** The facts of an interval in the dataset's order, without the row's other members. */
function factsOf(interval: IntervalFacts): IntervalFacts {
  const { instrument_id, symbol, exchange, mic, name, issuer, type, currency, cik } = interval
  const { valid_from, valid_to, end_reason, successor, predecessor, etf, source_symbol } = interval
  return {
    ...{ instrument_id, symbol, exchange, mic, name, issuer, type, currency, cik },
    ...{ valid_from, valid_to, end_reason, successor, predecessor, etf, source_symbol },
  }
}

function sameFacts(a: IntervalFacts | undefined, b: IntervalFacts): boolean {
  if (a === undefined) return false
  const facts = factsOf(b)
  return Object.entries(factsOf(a)).every(([name, value]) => facts[name as keyof IntervalFacts] === value)
}
