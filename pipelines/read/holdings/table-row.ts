// A row of an information table as filed, and the text of one of its cells.

/** The cells of one `infoTable` as filed, decoded and trimmed; null if the element is absent or empty. */
export type TableRow = {
  issuer: string | null
  title: string | null
  cusip: string | null
  figi: string | null
  value: string | null
  amount: string | null
  amountType: string | null
  putCall: string | null
  discretion: string | null
  otherManager: string | null
  sole: string | null
  shared: string | null
  none: string | null
  /** Elements of the row that the form does not have, or has once and the filing twice. */
  oddities: string[]
}
export type Cell = Exclude<keyof TableRow, 'oddities'>

export const emptyRow = (): TableRow => ({
  issuer: null,
  title: null,
  cusip: null,
  figi: null,
  value: null,
  amount: null,
  amountType: null,
  putCall: null,
  discretion: null,
  otherManager: null,
  sole: null,
  shared: null,
  none: null,
  oddities: [],
})

/** The value of a cell with this decoded content: trimmed, and the white space inside a longer one as one space; null if it is blank. */
export function cellText(content: string): string | null {
  const text = content.trim()
  if (text === '') return null
  return text.length > 12 ? detached(text) : text
}

/** A copy: V8 keeps the whole document alive for a slice of it that is longer than twelve characters. */
const detached = (text: string): string => Buffer.from(/\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ') : text).toString()

const references: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Text with its references decoded; null if one of them has an unknown name. */
export function decodedReferences(raw: string): string | null {
  if (!raw.includes('&')) return raw
  let isKnown = true
  // A name such as `AT&T` is a filer's slip that software of the time let pass: the bare sign is kept.
  const text = raw.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,9}));/g, (whole, decimal, hex, name: string | undefined) => {
    if (name !== undefined) {
      const character = references[name]
      if (character === undefined) isKnown = false
      return character ?? whole
    }
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
  return isKnown ? text : null
}
