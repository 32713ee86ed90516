// What NI 43-101 requires a written disclosure of drilling results to state, and where the text states it.
import type { DrillRules, PhraseList } from '../../rulesets/drill/rules.ts'
import type { WidthShare } from './derive.ts'
import { foldMarks, lowerCase } from './fold.ts'
import { isMark, isWord } from './metals.ts'
import { findPhrases } from './phrases.ts'
import type { Token } from './tokens.ts'
import type { Span } from './types.ts'

export type CheckedItem = {
  readonly item: string
  readonly section: string
  readonly status: 'stated' | 'missing' | 'unknown'
  readonly explanation: string
  readonly evidence: readonly Span[]
}
export type Statement = {
  /** False if there is no text: items are then unknown, not missing. */
  readonly hasText: boolean
  readonly places: Readonly<Record<PhraseList, readonly Span[]>>
  readonly qpNamed: Span | null
  readonly share: WidthShare | null
}

export function readStated(text: string, tokens: readonly Token[], rules: DrillRules): Statement {
  const folded = lowerCase(foldMarks(text)).replaceAll('\n', ' ')
  const places = Object.fromEntries(Object.entries(rules.phrases).map(([list, phrases]) => [list, findPhrases(folded, phrases)])) as Record<
    PhraseList,
    Span[]
  >
  return { hasText: text.trim() !== '', places, qpNamed: namedPerson(text, folded, rules), share: widthShare(tokens) }
}

const designation =
  /\b(?:P\.? ?Geo|P\.? ?Eng|géo\.|geo\.|ing\.|CPG|C\.P\.G|MAusIMM|FAusIMM|AusIMM|Ph\.? ?D|M\.Sc|B\.Sc|RM-?SME|SME|EurGeol|Eur\.? ?Geol|MIMMM|FGS|Pr\.Sci|P\.G\b|LPG|RPGeo|MAIG|FAIG)/u
const fullName = /\p{Lu}[\p{L}'’-]+(?: \p{Lu}\.)? \p{Lu}[\p{L}'’-]+/u
const notNames =
  /^(?:Qualified|National|Technical|Instrument|Canadian|Exploration|Company|Corporation|The|This|Personne|Vice|Chief|Press|News|Mineral|All|Data|Quality|Professional|Registered)/
/** A person near the words `qualified person`: by a designation, or by first and last name, within 250 characters on either side. */
function namedPerson(text: string, folded: string, rules: DrillRules): Span | null {
  for (const place of findPhrases(folded, rules.phrases.qp)) {
    const start = Math.max(0, place.start - 250)
    const around = text.slice(start, place.end + 250)
    const found = designation.exec(around)
    if (found) return { start: start + found.index, end: start + found.index + found[0].length }
    for (const part of around.split(/[,.;:()\n]/)) {
      const name = fullName.exec(part)
      if (name && !notNames.test(name[0])) return { start: start + around.indexOf(name[0]), end: start + around.indexOf(name[0]) + name[0].length }
    }
  }
  return null
}

/** `true widths are estimated to be 70-80 % of core length`: the share as a range, if a sentence mentions true width. */
function widthShare(tokens: readonly Token[]): WidthShare | null {
  for (let at = 0; at < tokens.length; at++) {
    if (!isWord(tokens[at], 'true', 'vraie', 'vraies', 'etw', 'verdadero', 'verdaderos')) continue
    for (let place = Math.max(0, at - 24); place < Math.min(tokens.length, at + 24); place++) {
      const percent = isMark(tokens[place], '%') || isWord(tokens[place], 'percent')
      const high = tokens[place - 1]
      if (!percent || high?.kind !== 'number' || Number(high.text) > 100 || !ofLength(tokens, place + 1)) continue
      const joint = tokens[place - 2]
      const before = isMark(joint, '%') ? tokens[place - 3] : null
      const ranged = isMark(joint, '-') || isWord(joint, 'to', 'and', 'à', 'et', 'a')
      let low = before?.kind === 'number' ? before : ranged ? tokens[place - 3] : high
      if (ranged && isMark(low, '%')) low = tokens[place - 4]
      const from = low?.kind === 'number' && Number(low.text) <= Number(high.text) ? low : high
      return { low: from.text, high: high.text, start: from.start, end: (tokens[place] as Token).end }
    }
  }
  return null
}
/** `of core length`, `of the drilled width`, `of reported intervals`, `des longueurs`. */
function ofLength(tokens: readonly Token[], from: number): boolean {
  for (let at = from; at < from + 8; at++) {
    if (tokens[at]?.kind === 'number' || isMark(tokens[at], '.') || isMark(tokens[at], ';')) return false
    if (tokens[at]?.kind === 'word' && lengthWords.has(tokens[at]?.text ?? '')) return true
  }
  return false
}
const lengthWords = new Set(
  'core drilled downhole hole interval intervals length lengths width widths intersected reported longueur longueurs carotte carottée carottées largo longitud intervalo intervalos testigo'.split(
    ' ',
  ),
)

/** The items of section 3 in their order. `count` intervals were read, `withDepth` of them with depths, `parts` of them parts of others. */
export function checklist(statement: Statement, facts: { count: number; withDepth: number; parts: number; widths: number }): CheckedItem[] {
  const { places, hasText } = statement
  const by = (item: string, section: string, spans: readonly Span[], stated: string, missing: string): CheckedItem => {
    const status = spans.length > 0 ? 'stated' : hasText ? 'missing' : 'unknown'
    return {
      item,
      section,
      status,
      explanation: status === 'stated' ? stated : status === 'missing' ? missing : 'there is no text to look in',
      evidence: spans,
    }
  }
  const counted = (item: string, section: string, holds: boolean, stated: string, missing: string): CheckedItem => ({
    item,
    section,
    status: facts.count === 0 ? 'unknown' : holds ? 'stated' : 'missing',
    explanation: facts.count === 0 ? 'no interval was read' : holds ? stated : missing,
    evidence: [],
  })
  const width = statement.share ? [{ start: statement.share.start, end: statement.share.end }] : [...places.true_width_unknown, ...places.true_width]
  return [
    by(
      'qualified_person',
      '3.1',
      statement.qpNamed ? [statement.qpNamed] : [],
      'a qualified person is named',
      places.qp.length > 0 ? 'a qualified person is spoken of, none is named' : 'no qualified person is named',
    ),
    by('qualified_person_review', '3.1', places.qp_review, 'the disclosure was reviewed or approved', 'no review or approval is stated'),
    by('data_verification', '3.2', places.verification, 'verification of the data is spoken of', 'no verification of the data is stated'),
    counted('results', '3.3(1)(a)', true, `${facts.count} intervals with grades`, ''),
    by('qaqc', '3.3(1)(b)', places.qaqc, 'quality assurance and control are described', 'no quality assurance or control is described'),
    by('sample_type', '3.3(2)(a)', places.sample_type, 'the kind of sample is stated', 'the kind of sample is not stated'),
    by('hole_collar', '3.3(2)(b)', places.collar, 'collars are given or spoken of', 'no collar is given'),
    by('hole_azimuth', '3.3(2)(b)', places.azimuth, 'azimuths are given or spoken of', 'no azimuth is given'),
    by('hole_dip', '3.3(2)(b)', places.dip, 'dips are given or spoken of', 'no dip is given'),
    counted(
      'interval_depths',
      '3.3(2)(b)',
      facts.withDepth === facts.count,
      'every interval has a depth',
      `${facts.count - facts.withDepth} of ${facts.count} intervals have no depth`,
    ),
    facts.widths > 0 && width.length === 0
      ? counted(
          'true_widths',
          '3.3(2)(c)',
          facts.widths === facts.count,
          'every interval has a true width',
          `${facts.count - facts.widths} of ${facts.count} intervals have no true width`,
        )
      : by('true_widths', '3.3(2)(c)', width, 'true widths are given, or said to be unknown', 'nothing is said about true widths'),
    counted(
      'higher_grade_parts',
      '3.3(2)(c)',
      facts.parts > 0,
      `${facts.parts} higher-grade parts are given`,
      'no part of an interval is given: where one carries much of the metal it must be',
    ),
    by(
      'reliability',
      '3.3(2)(d)',
      places.reliability,
      'core recovery or other factors of reliability are spoken of',
      'no factor of reliability, such as core recovery, is stated',
    ),
    by('laboratory', '3.3(2)(e)', places.lab, 'a laboratory is named or spoken of', 'no laboratory is named'),
    by('laboratory_method', '3.3(2)(e)', places.lab_method, 'the method of assay is stated', 'the method of assay is not stated'),
    by(
      'laboratory_relation',
      '3.3(2)(e)',
      places.lab_relation,
      'the relation of the laboratory to the issuer, or its accreditation, is stated',
      'the relation of the laboratory to the issuer is not stated',
    ),
  ]
}
