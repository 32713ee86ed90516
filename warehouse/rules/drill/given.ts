// Intervals that the caller supplies: objects with commonly used members, checked one by one. Unknown members are listed; a value that
// cannot be a length or a grade is rejected with its path.
import { compareDecimals, signedSum } from '#schemas/decimals.ts'
import { maxDrillIntervals } from '#schemas/drill.ts'
import { BadRequest } from '#schemas/errors.ts'
import { plainDecimal } from '#schemas/values.ts'
import { drillRules, type GradeUnit } from '../../rulesets/drill/rules.ts'
import type { Grade, Length, LengthUnit, RawInterval, Unread } from './types.ts'

export type Given = { readonly raw: RawInterval; readonly parts: readonly Given[] }
export type ReadGiven = { readonly intervals: readonly Given[]; readonly unread: readonly Unread[] }
type Row = Readonly<Record<string, unknown>>
const nowhere = { start: 0, end: 0 }
const deepest = 8

const names = {
  hole: ['hole', 'hole_id', 'hole_name', 'drill_hole'],
  from: ['from', 'from_m', 'from_ft', 'depth_from'],
  to: ['to', 'to_m', 'to_ft', 'depth_to'],
  length: [
    'length',
    'length_m',
    'length_ft',
    'interval',
    'interval_m',
    'interval_ft',
    'width',
    'width_m',
    'width_ft',
    'core_length',
    'core_length_m',
    'core_length_ft',
  ],
  trueWidth: ['true_width', 'true_width_m', 'true_width_ft'],
  angle: ['core_angle_deg', 'core_angle'],
  unit: ['unit', 'length_unit'],
  parts: ['including', 'children', 'intervals', 'sub_intervals'],
  grades: ['grades', 'assays'],
  one: ['grade', 'metal', 'grade_unit', 'capped'],
} as const
const suffixes: Readonly<Record<string, GradeUnit>> = {
  gpt: 'g/t',
  g_t: 'g/t',
  gt: 'g/t',
  ppm: 'ppm',
  ppb: 'ppb',
  pct: '%',
  percent: '%',
  opt: 'opt',
  oz_st: 'oz/st',
  oz_tonne: 'oz/tonne',
  kg_t: 'kg/t',
}
const unitWords: Readonly<Record<string, Grade['unit']>> = {
  'g/t': 'g/t',
  gpt: 'g/t',
  ppm: 'ppm',
  ppb: 'ppb',
  opt: 'opt',
  'oz/t': 'oz/t',
  'oz/ton': 'oz/t',
  'oz/st': 'oz/st',
  'oz/tonne': 'oz/tonne',
  '%': '%',
  pct: '%',
  percent: '%',
  'kg/t': 'kg/t',
  'lb/st': 'lb/st',
}
const metals = new Map<string, { metal: string; equivalent: boolean }>()
for (const { metal, names: words, symbols } of drillRules.metals)
  for (const word of [...words, ...symbols]) {
    metals.set(word.toLowerCase(), { metal, equivalent: false })
    for (const ending of ['eq', '_eq', ' equivalent']) metals.set(`${word.toLowerCase()}${ending}`, { metal, equivalent: true })
  }

/** The given intervals with their parts. Throws `BadRequest` (422) with the member and the expected form. */
export function readGiven(rows: readonly Row[]): ReadGiven {
  const unread: Unread[] = []
  let count = 0
  return { intervals: rows.map((row, at) => read(row, `intervals.${at}`, 1)), unread }

  function read(row: Row, path: string, depth: number): Given {
    count += 1
    if (count > maxDrillIntervals) throw refused('intervals', `at most ${maxDrillIntervals} intervals, parts counted too`)
    if (depth > deepest) throw refused(path, `parts of parts are read ${deepest} deep`)
    const grades = gradesIn(row, path, unread)
    const unit = lengthUnitOf(row, path)
    const [from, to, length] = [measure(row, 'from', path, unit), measure(row, 'to', path, unit), measure(row, 'length', path, unit)]
    if (from && to && compareDecimals(from.value, to.value) >= 0) throw refused(`${path}.to`, `to (${to.value}) lies beyond from (${from.value})`)
    if (!length && !(from && to)) throw refused(path, 'length, or from and to, is needed')
    if (length && compareDecimals(length.value, '0') === 0) throw refused(`${path}.length`, 'a length above 0')
    if (grades.length === 0) throw refused(path, 'a grade is needed: grades, or a member such as au_gpt or cu_pct')
    const between: Length | null = from && to ? { value: minus(to.value, from.value), unit, span: nowhere } : null
    const hole = pick(row, names.hole)
    if (hole !== undefined && hole !== null && (typeof hole !== 'string' || hole.length > 64))
      throw refused(`${path}.hole`, 'a text of at most 64 characters')
    const angle = pick(row, names.angle)
    const raw: RawInterval = {
      hole: (hole as string | null | undefined) ?? null,
      length: length ?? between,
      isTrueWidth: false,
      from,
      to,
      trueWidth: measure(row, 'trueWidth', path, unit),
      coreAngle: angle === undefined || angle === null ? null : decimal(angle, `${path}.core_angle_deg`, '90'),
      grades,
      relation: depth === 1 ? 'top' : 'including',
      origin: 'intervals',
      span: null,
    }
    return { raw, parts: partsOf(row, path).map((part, at) => read(part, `${path}.including.${at}`, depth + 1)) }
  }
}

const minus = (left: string, right: string): string =>
  signedSum([
    { sign: 1, value: left },
    { sign: -1, value: right },
  ])
const refused = (path: string, expected: string): BadRequest =>
  new BadRequest(`${path}: expected ${expected}`, {
    status: 422,
    code: 'validation_error',
    hint: `correct body.${path}: expected ${expected}`,
    items: [
      { loc: ['body', ...path.split('.').map(part => (/^\d+$/.test(part) ? Number(part) : part))], msg: `expected ${expected}`, type: 'custom' },
    ],
  })
const pick = (row: Row, keys: readonly string[]): unknown => {
  const key = keys.find(each => Object.hasOwn(row, each))
  return key === undefined ? undefined : row[key]
}

function lengthUnitOf(row: Row, path: string): LengthUnit {
  const named = pick(row, names.unit)
  const feet = Object.keys(row).some(key => key.endsWith('_ft'))
  if (named === undefined || named === null) return feet ? 'ft' : 'm'
  const word = String(named).toLowerCase()
  if (['m', 'metre', 'metres', 'meter', 'meters'].includes(word)) return 'm'
  if (['ft', 'foot', 'feet'].includes(word)) return 'ft'
  throw refused(`${path}.unit`, 'm or ft')
}

function measure(row: Row, what: 'from' | 'to' | 'length' | 'trueWidth', path: string, unit: LengthUnit): Length | null {
  const value = pick(row, names[what])
  if (value === undefined || value === null) return null
  return { value: decimal(value, `${path}.${what === 'trueWidth' ? 'true_width' : what}`, '100000'), unit, span: nowhere }
}

/** A number or its digits in text, from 0 to `most`. */
function decimal(value: unknown, path: string, most: string): string {
  const text = typeof value === 'number' && Number.isFinite(value) ? plainDecimal(value) : typeof value === 'string' ? value.trim() : ''
  if (!/^\d{1,12}(?:\.\d{1,12})?$/.test(text) || compareDecimals(text, most) > 0) throw refused(path, `a number from 0 to ${most}`)
  return text
}

function partsOf(row: Row, path: string): readonly Row[] {
  const parts = pick(row, names.parts)
  if (parts === undefined || parts === null) return []
  if (!Array.isArray(parts) || parts.some(part => typeof part !== 'object' || part === null || Array.isArray(part)))
    throw refused(`${path}.including`, 'a list of intervals')
  return parts as readonly Row[]
}

function gradesIn(row: Row, path: string, unread: Unread[]): Grade[] {
  const grades: Grade[] = []
  const listed = pick(row, names.grades)
  if (listed !== undefined && listed !== null) {
    if (!Array.isArray(listed)) throw refused(`${path}.grades`, 'a list of {metal, value, unit}')
    listed.forEach((each: unknown, at) => {
      if (typeof each !== 'object' || each === null) throw refused(`${path}.grades.${at}`, 'an object {metal, value, unit}')
      const { metal, value, grade, unit, capped } = each as Row
      grades.push(gradeOf(metal, value ?? grade, unit, capped === true, `${path}.grades.${at}`))
    })
  }
  if (row['grade'] !== undefined) grades.push(gradeOf(row['metal'], row['grade'], row['grade_unit'], row['capped'] === true, `${path}.grade`))
  const known = new Set<string>(Object.values(names).flat())
  for (const [key, value] of Object.entries(row)) {
    if (known.has(key)) continue
    const shorthand = shorthandOf(key)
    if (!shorthand) unread.push({ reason: 'member', span: null, detail: `${path}.${key.slice(0, 64)} is no member that is read` })
    else if (value !== null && value !== undefined) grades.push(toGrade(shorthand, value, shorthand.unit, false, `${path}.${key}`))
  }
  return grades
}

/** `au_gpt`, `cu_pct`, `aueq_gpt`, `mo_ppm`. */
function shorthandOf(key: string): { readonly metal: string; readonly equivalent: boolean; readonly unit: GradeUnit } | null {
  for (const [suffix, unit] of Object.entries(suffixes)) {
    if (!key.toLowerCase().endsWith(`_${suffix}`)) continue
    const metal = metals.get(key.slice(0, -suffix.length - 1).toLowerCase())
    if (metal) return { ...metal, unit }
  }
  return null
}

function gradeOf(metal: unknown, value: unknown, unit: unknown, capped: boolean, path: string): Grade {
  const named = metal === undefined || metal === null ? { metal: 'Au', equivalent: false } : metals.get(String(metal).toLowerCase())
  if (!named) throw refused(`${path}.metal`, 'a metal by name or symbol, such as Au, silver or CuEq')
  const standard = drillRules.metals.find(each => each.metal === named.metal)?.unit as Grade['unit']
  const word = unit === undefined || unit === null ? standard : unitWords[String(unit).toLowerCase()]
  if (!word) throw refused(`${path}.unit`, `one of ${Object.keys(unitWords).join(', ')}`)
  return toGrade(named, value, word, capped, path)
}
const toGrade = (named: { metal: string; equivalent: boolean }, value: unknown, unit: Grade['unit'], capped: boolean, path: string): Grade => ({
  ...named,
  value: decimal(value, path, unit === '%' ? '100' : unit === 'ppb' ? '1000000000' : '1000000'),
  unit,
  qualifier: null,
  capped,
  span: nowhere,
})
