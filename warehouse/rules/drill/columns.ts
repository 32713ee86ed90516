// The head of a table: the meaning and unit of each column.
import { lengthUnitAt } from './lengths.ts'
import { gradeUnitAt, isMark, isWord, metalAt, metalSumAt } from './metals.ts'
import type { Token } from './tokens.ts'
import type { Grade, LengthUnit, Span } from './types.ts'

export type Column = {
  /** `depths`: from and to in one cell, `120.5-132.0`. */
  readonly kind: 'hole' | 'from' | 'to' | 'depths' | 'length' | 'true_width' | 'grade' | 'number' | 'text'
  readonly metal: string | null
  readonly equivalent: boolean
  readonly lengthUnit: LengthUnit | null
  readonly gradeUnit: Grade['unit'] | null
  readonly span: Span
}

const lengths = [
  'interval',
  'length',
  'width',
  'thickness',
  'longueur',
  'longitud',
  'largo',
  'ancho',
  'intervalo',
  'intervalle',
  'intersection',
  'intercept',
  'largeur',
  'épaisseur',
  'int',
  'metres',
  'meters',
]
const holes = ['hole', 'drillhole', 'ddh', 'trou', 'forage', 'sondage', 'sondaje', 'barreno', 'pozo', 'bhid', 'holeid', 'borehole']
/** Numbers that are neither an assay nor a depth. */
const otherNumbers = [
  'azimuth',
  'dip',
  'elevation',
  'azi',
  'easting',
  'northing',
  'gxm',
  'gxt',
  'gt',
  'gm',
  'factor',
  'metal',
  'azimut',
  'pendage',
  'gram-metres',
  'section',
  'depth',
  'east',
  'north',
]
const fillers = [
  'id',
  'no',
  'number',
  'core',
  'drilled',
  'downhole',
  'down',
  'est',
  'estimated',
  'approx',
  'grade',
  'grades',
  'drill',
  'total',
  'depth',
  'apparent',
  'sample',
  'uncut',
  'of',
  'name',
  'teneur',
  'du',
  'le',
]

/** The meaning of a head's cell; null if it contains no known word. */
export function columnOf(tokens: readonly Token[], french: boolean): Column | null {
  if (tokens.length === 0) return null
  const span = { start: (tokens[0] as Token).start, end: (tokens.at(-1) as Token).end }
  const has = (...words: readonly string[]): boolean => tokens.some(token => isWord(token, ...words))
  const units = unitsIn(tokens, french)
  const column = (kind: Column['kind'], more: Partial<Column> = {}): Column => ({ kind, metal: null, equivalent: false, ...units, span, ...more })
  for (let at = 0; at < tokens.length; at++) {
    const metal = metalAt(tokens, at, french)
    if (!metal || has('from', 'to')) continue
    const sum = metalSumAt(tokens, metal, french)
    // A sum of several metals is not a figure of any of them: a column without a metal, which the table lists as unread.
    return column('grade', { metal: sum ? sum.metal : metal.metal, equivalent: metal.equivalent })
  }
  if (has('true', 'tw', 'etw', 'vraie')) return column('true_width')
  if (has('from') && has('to')) return column('depths')
  if (has('from', 'depuis', 'desde') || (french && has('de'))) return column('from')
  if (has('to', 'hasta') || (french && has('à', 'a'))) return column('to')
  if (has(...holes)) return column('hole')
  if (has(...lengths)) return column('length')
  if (has('depth', 'depths', 'profondeur', 'profundidad')) return column('depths')
  if (has(...otherNumbers)) return column('number')
  return null
}

function unitsIn(tokens: readonly Token[], french: boolean): Pick<Column, 'lengthUnit' | 'gradeUnit'> {
  let lengthUnit: LengthUnit | null = null
  let gradeUnit: Column['gradeUnit'] = null
  for (let at = 0; at < tokens.length; at++) {
    gradeUnit ??= gradeUnitAt(tokens, at, french)?.unit ?? null
    lengthUnit ??= lengthUnitAt(tokens, at)?.unit ?? null
  }
  return { lengthUnit, gradeUnit }
}

/** The columns of a head whose cells are separated by single spaces: known words in order. Null if too many words are unknown. */
export function columnsInWords(tokens: readonly Token[], french: boolean): Column[] | null {
  const groups: Token[][] = []
  let strange = 0
  let brackets = 0
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (token.kind === 'number' && !metalAt(tokens, at, french)) return null
    if (token.kind === 'mark') brackets += '(['.includes(token.text) ? 1 : ')]'.includes(token.text) ? -1 : 0
    const last = groups.at(-1)
    if (isMark(token, '.') && brackets === 0) continue
    const metal = brackets > 0 ? null : metalAt(tokens, at, french)
    if (metal) {
      groups.push(tokens.slice(at, metal.next) as Token[])
      at = metal.next - 1
    } else if (brackets === 0 && startsColumn(token, french) && !(last && continues(last, token))) groups.push([token])
    else if (last && (brackets > 0 || continues(last, token) || token.kind === 'mark' || isUnitWord(token))) last.push(token)
    else if (token.kind === 'word' && fillers.includes(token.text)) {
      if (isWord(token, 'id', 'no', 'number', 'name') && last) last.push(token)
      else if (!isWord(token, 'id', 'no', 'number', 'name')) groups.push([token])
    } else if (token.kind === 'word') {
      strange += 1
      groups.push([token])
    }
  }
  if (strange > 2) return null
  // `core length`, `est. true width`: the preceding words belong to the following word.
  const merged: Token[][] = []
  let lead: Token[] = []
  for (const group of groups) {
    const word = group[0] as Token
    if (group.length === 1 && word.kind === 'word' && fillers.includes(word.text)) lead.push(word)
    else {
      merged.push([...lead, ...group])
      lead = []
    }
  }
  return merged.map(group => columnOf(group, french) ?? textColumn(group))
}
export const textColumn = (tokens: readonly Token[]): Column => ({
  kind: 'text',
  metal: null,
  equivalent: false,
  lengthUnit: null,
  gradeUnit: null,
  span: { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 },
})
const startsColumn = (token: Token, french: boolean): boolean =>
  token.kind === 'word' &&
  (['from', 'to', 'true', 'tw', 'etw', ...holes, ...lengths, ...otherNumbers].includes(token.text) || (french && ['de', 'à'].includes(token.text)))
/** `true width`, `drill hole`, `hole length`: one column. */
const continues = (group: readonly Token[], token: Token): boolean =>
  (isWord(group.at(-1), 'true', 'vraie', 'estimated') && isWord(token, ...lengths)) ||
  (isWord(token, ...lengths) && isWord(group.at(-1), ...lengths)) ||
  (isWord(token, 'vraie') && isWord(group.at(-1), ...lengths)) ||
  (isWord(group.at(-1), 'metal') && isWord(token, 'factor'))
const isUnitWord = (token: Token): boolean => isWord(token, 'g', 't', 'm', 'ft', 'ppm', 'ppb', 'opt', 'gpt', 'oz', 'metres', 'feet')

/** A line that contains only units, below the names: `(m) (m) (m) (g/t)`, in the order of the columns that have no unit yet. */
export function unitLine(tokens: readonly Token[], french: boolean): readonly Pick<Column, 'lengthUnit' | 'gradeUnit'>[] | null {
  const found: Pick<Column, 'lengthUnit' | 'gradeUnit'>[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    const grade = gradeUnitAt(tokens, at, french)
    const length = grade ? null : lengthUnitAt(tokens, at)
    if (grade || length) {
      found.push({ lengthUnit: length?.unit ?? null, gradeUnit: grade?.unit ?? null })
      at = (grade ?? length)!.next - 1
    } else if (token.kind !== 'mark' && !isWord(token, 'id', 'no', 'number', 'width', 'length', 'grade')) return null
  }
  return found.length >= 2 ? found : null
}
export const withUnits = (columns: readonly Column[], units: readonly Pick<Column, 'lengthUnit' | 'gradeUnit'>[]): Column[] => {
  const numeric = columns.filter(column => column.kind !== 'hole' && column.kind !== 'text')
  if (numeric.length !== units.length) return [...columns]
  return columns.map(column => {
    const unit = units[numeric.indexOf(column)]
    return unit ? { ...column, lengthUnit: column.lengthUnit ?? unit.lengthUnit, gradeUnit: column.gradeUnit ?? unit.gradeUnit } : column
  })
}
/** A head names depths or lengths, and at least one metal. */
export function isHead(columns: readonly Column[]): boolean {
  const count = (kind: Column['kind']): number => columns.filter(column => column.kind === kind).length
  if (count('grade') === 0 || count('from') > 1 || count('to') > 1 || count('hole') > 1) return false
  if (count('depths') === 1 && count('hole') === 1) return true
  return (count('from') === 1 && count('to') === 1) || (count('length') === 1 && (count('hole') === 1 || count('from') === 1))
}
