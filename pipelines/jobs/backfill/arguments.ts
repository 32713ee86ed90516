// Parses the days and symbols of a run or a backfill, as an operator or administrator writes them.
import { earliestDay, latestDay, outsideDays } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { IsoDate } from '#schemas/values.ts'

/** A calendar day, YYYY-MM-DD, within the supported days. */
export function dayOf(name: string, text: string): string {
  if (IsoDate.safeParse(text).success) {
    const beyond = outsideDays(Date.parse(text))
    if (beyond === null) return text
    throw new BadRequest(`${name} ${text} ${beyond}`, { hint: `give a day from ${earliestDay} to ${latestDay}` })
  }
  throw new BadRequest(`${name} ${text}: expected a day such as 2026-03-31`)
}

/** `A,B` as canonical symbols, sorted, each once; a CIK is kept unchanged. Null if none were given. */
export function symbolsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null
  const symbols = text
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')
    .map(each => {
      if (/^\d{1,10}$/.test(each)) return each.replace(/^0+(?=\d)/, '').padStart(10, '0')
      const parsed = parseSymbol(each)
      if (!parsed)
        throw new BadRequest(`--symbols: ${JSON.stringify(each)} is not a symbol`, {
          hint: 'US symbols are bare (AAPL, BRK-B), Toronto ends in .TO, TSX Venture in .V',
        })
      return parsed.symbol
    })
  if (symbols.length === 0) throw new BadRequest('--symbols names none', { hint: 'such as --symbols AAPL,RY.TO' })
  return [...new Set(symbols)].sort()
}
