// Chooses the one place that a figure is bound to: by the name of the field, then by the row that other figures of the sentence are in. Where
// several places remain, the figure is ambiguous, and nothing is guessed.
import { dateFits, type Finding, rowDate } from './check-figure.ts'
import { type CheckedAnswer, fieldWords, nameOf, type Value, wordsOf } from './check-values.ts'
import type { FigureToken } from './figures.ts'
import { at, leafOf, parseAnswer, walk } from './json-values.ts'

type Found = { readonly figure: FigureToken; readonly sentence: readonly [number, number]; readonly finding: Finding }
export type Placed = {
  readonly figure: FigureToken
  readonly finding: Finding
  readonly binding: Value | null
  /** Other places of an ambiguous figure, or the values that an unsupported one is near to. */
  readonly candidates: readonly Value[]
}

/** The figures of a text with their bindings. `found`: in the order of the text. */
export function placeFigures(found: readonly Found[], text: string, answers: readonly CheckedAnswer[]): Placed[] {
  const same = factsOf(answers)
  const narrowed = found.map(({ figure, sentence, finding }) => {
    const isOpen = finding.status === 'supported' && finding.code !== 'count'
    const options = isOpen ? bestOf(finding.matches, figure, text, sentence) : finding.matches
    return { figure, sentence, finding, options, best: finding.status === 'supported' ? same(options) : options }
  })
  // By sentence: the rows of its other figures that have one place, and the rows of its dates.
  const bound = new Map<number, Set<string>>()
  const dated = new Map<number, Set<string>>()
  for (const { figure, sentence, finding, options, best } of narrowed) {
    if (figure.kind === 'date') for (const each of options) addTo(dated, sentence[0], rowOf(each))
    else if (finding.status === 'supported' && best.length === 1 && best[0]) addTo(bound, sentence[0], rowOf(best[0]))
  }
  return narrowed.map(({ figure, sentence, finding, options, best }) => {
    if (finding.status !== 'supported') return { figure, finding, binding: null, candidates: best }
    const inside = (rows: Map<number, Set<string>>, of: readonly Value[]): readonly Value[] =>
      of.length > 1 ? of.filter(each => rows.get(sentence[0])?.has(rowOf(each))) : []
    const inRow = best.length > 1 || figure.kind === 'date' ? inside(bound, options) : []
    const inDay = inRow.length === 0 && figure.kind !== 'date' ? inside(dated, best) : []
    const left = alike(inRow.length > 0 ? same(inRow) : inDay.length > 0 ? inDay : best, figure)
    const [only] = left
    if (only !== undefined && (left.length === 1 || figure.kind === 'identifier' || finding.code === 'quoted'))
      return { figure, finding, binding: only, candidates: [] }
    const reason = `${left.length} places of the answers fit`
    return { figure, finding: { ...finding, status: 'ambiguous', code: 'several_places', reason }, binding: null, candidates: left }
  })
}

/** The innermost item of a list that holds a value, or the whole answer. */
const rowOf = ({ answer, pointer }: Value): string => `${answer}${/^.*\/\d+(?=\/)/.exec(pointer)?.[0] ?? ''}`

/** In one row, a year or a day is first the period that the row is of. */
function alike(values: readonly Value[], { kind, value }: FigureToken): readonly Value[] {
  if (kind !== 'date' || value === null || new Set(values.map(rowOf)).size > 1) return values
  const periods = values.filter(each => rowDate.test(each.field) && dateFits(value, each.value))
  const exact = (periods.length > 0 ? periods : values).filter(each => each.value === value)
  return exact.length > 0 ? exact.slice(0, 1) : periods.length > 0 ? periods.slice(0, 1) : values
}

/** The matches whose field the words around the figure name best: `previous_close` before `close` for "the previous close". */
function bestOf(matches: readonly Value[], figure: FigureToken, text: string, [from, to]: readonly [number, number]): readonly Value[] {
  if (matches.length < 2) return matches
  const { start, end, value, kind, unit } = figure
  const exact = matches.filter(each => (kind === 'date' ? each.value === value : unit !== null && each.unit === unit))
  const among = exact.length > 0 ? exact : matches
  // Words such as "of" and "to" name no field.
  const around = `${text.slice(Math.max(from, start - 80), start)} ${text.slice(end, Math.min(to, end + 40))}`
  const near = wordsOf(around).filter(word => word.length > 2)
  const scored = among.map(each => {
    const own = wordsOf(
      nameOf(each.pointer)
        .replaceAll('_', ' ')
        .replace(/ (?:pct|bps|usd|cad|m)$/, ''),
    ).filter(word => word.length > 2)
    const named = own.filter(word => near.some(other => isForm(word, other))).length
    const meant = fieldWords(each.pointer.split('/')).intersection(new Set(near)).size
    // A year or a month is first that of a period.
    const isPeriod = kind === 'date' && !/^\d{4}-\d\d-\d\d$|^--/.test(value ?? '') && rowDate.test(each.field)
    return { each, score: [own.length === 0 ? 0 : named / own.length, named, Math.min(meant, 1), Number(isPeriod)] as const }
  })
  const compare = (a: readonly number[], b: readonly number[]): number => a.map((x, at_) => (b[at_] ?? 0) - x).find(each => each !== 0) ?? 0
  const [first] = scored.toSorted((a, b) => compare(a.score, b.score))
  return scored.filter(({ score }) => compare(score, first?.score ?? []) === 0).map(({ each }) => each)
}
/** Whether two words are forms of one: close and closed, open and opened. */
const isForm = (a: string, b: string): boolean => a === b || (Math.min(a.length, b.length) >= 4 && (a.startsWith(b) || b.startsWith(a)))

/** Members that tell two rows apart. */
const identifying =
  /^(?:symbol|code|ticker|issuer_symbol|us_symbol|tsx_symbol|issuer_name|issuer|company|company_name|name|owner_names?|holder|manager|manager_name|filer|reporting_person|security_name|metal|indicator|series|line|accession|form|kind|title|label|line_item|fiscal_period|period|basis|interval|tenor|country)$/

/** Removes places of one fact, keeping the first: the same field, value and unit of objects with the same names and dates, in two answers or two members. */
function factsOf(answers: readonly CheckedAnswer[]): (values: readonly Value[]) => readonly Value[] {
  const trees = new Map<number, unknown>()
  const treeOf = (answer: number): unknown => {
    if (!trees.has(answer)) trees.set(answer, parseAnswer(answers[answer - 1]?.text ?? 'null'))
    return trees.get(answer)
  }
  const identities = new Map<string, string>()
  function identityOf({ answer, pointer }: Value): string {
    const parent = pointer.slice(0, pointer.lastIndexOf('/'))
    const known = identities.get(`${answer}${parent}`) ?? readIdentity(answer, pointer)
    identities.set(`${answer}${parent}`, known)
    return known
  }
  function readIdentity(answer: number, pointer: string): string {
    const tree = treeOf(answer)
    const parts: string[] = []
    for (let place = pointer; place !== ''; ) {
      place = place.slice(0, place.lastIndexOf('/'))
      const here = at(tree, place)
      if (here === null || typeof here !== 'object' || Array.isArray(here)) continue
      for (const [name, member] of Object.entries(here)) {
        if (!identifying.test(name) && !rowDate.test(name)) continue
        for (const { value } of walk(member)) {
          const leaf = leafOf(value)
          if (leaf !== undefined && leaf !== null) parts.push(`${name}=${typeof leaf === 'object' ? leaf.number : leaf}`)
        }
      }
    }
    return [...new Set(parts)].sort().join('|')
  }
  const factOf = (value: Value): string => {
    // A date of a text is the date of every row that has it; a count is that of its list.
    if (value.kind === 'date') return `${value.field} ${value.value}`
    if (value.kind === 'count')
      return value.field.endsWith('_count')
        ? `${value.field} ${value.answer} ${value.value}`
        : `count ${value.answer} ${value.pointer.slice(0, value.pointer.lastIndexOf('/'))} ${value.value}`
    return `${value.field} ${value.value} ${value.unit} ${identityOf(value)}`
  }
  const listOf = ({ answer, pointer }: Value): string => `${answer}${pointer.replaceAll(/\/\d+(?=\/)/g, '/*')}`
  return values => {
    if (values.length < 2) return values
    const kept: Value[] = []
    const listsOf = new Map<string, Set<string>>()
    // A member that counts before the list that it counts.
    for (const value of values.toSorted((a, b) => Number(!/(?:^|_)count$/.test(a.field)) - Number(!/(?:^|_)count$/.test(b.field)))) {
      const fact = factOf(value)
      const lists = listsOf.get(fact)
      // Two rows of one list are two facts, also if they have the same members.
      if (lists === undefined || (value.kind === 'number' && lists.has(listOf(value)))) kept.push(value)
      addTo(listsOf, fact, listOf(value))
    }
    return kept
  }
}
function addTo<K>(sets: Map<K, Set<string>>, key: K, text: string): void {
  const set = sets.get(key)
  if (set) set.add(text)
  else sets.set(key, new Set([text]))
}
