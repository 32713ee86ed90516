// Chooses the one place that a figure is bound to: by the name of the field, then by the row that other figures of the sentence are in. Where
// several places remain, the figure is ambiguous, and nothing is guessed.
import { dateFits, type Finding, rowDate } from './check-figure.ts'
import { type CheckedAnswer, type Value, wordsOf } from './check-values.ts'
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
  const narrowed = found.map(({ figure, sentence, finding }) => ({
    figure,
    sentence,
    finding,
    best: finding.status === 'supported' ? same(bestOf(finding.matches, figure, text, sentence)) : finding.matches,
  }))
  return narrowed.map(({ figure, sentence, finding, best }) => {
    if (finding.status !== 'supported') return { figure, finding, binding: null, candidates: best }
    const rows = narrowed
      .filter(each => each.figure !== figure && each.finding.status === 'supported' && each.sentence[0] === sentence[0] && each.best.length === 1)
      .flatMap(each => (each.best[0] ? [rowOf(each.best[0])] : []))
    const inRow = best.length > 1 ? best.filter(each => rows.includes(rowOf(each))) : []
    const left = inRow.length > 0 ? periodFirst(inRow, figure) : best
    const [only] = left
    if (only !== undefined && (left.length === 1 || figure.kind === 'identifier' || finding.code === 'quoted'))
      return { figure, finding, binding: only, candidates: [] }
    const reason = `${left.length} places of the answers fit`
    return { figure, finding: { ...finding, status: 'ambiguous', code: 'several_places', reason }, binding: null, candidates: left }
  })
}

/** The innermost item of a list that holds a value, or the whole answer. */
const rowOf = ({ answer, pointer }: Value): string => `${answer}${/^.*\/\d+(?=\/)/.exec(pointer)?.[0] ?? ''}`

/** In one row, a year or day is first the period that the row is of. */
function periodFirst(values: readonly Value[], { kind, value }: FigureToken): readonly Value[] {
  if (kind !== 'date' || value === null) return values
  const periods = values.filter(each => rowDate.test(each.field) && dateFits(value, each.value))
  const exact = (periods.length > 0 ? periods : values).filter(each => each.value === value)
  return exact.length > 0 ? exact.slice(0, 1) : periods.length > 0 ? periods.slice(0, 1) : values
}

/** The matches whose field the words around the figure name best: `previous_close` before `close` for "the previous close". */
function bestOf(
  matches: readonly Value[],
  { start, end, value, kind }: FigureToken,
  text: string,
  [from, to]: readonly [number, number],
): readonly Value[] {
  if (matches.length < 2) return matches
  const exact = kind === 'date' ? matches.filter(each => each.value === value) : []
  const among = exact.length > 0 ? exact : matches
  const near = new Set(wordsOf(`${text.slice(Math.max(from, start - 80), start)} ${text.slice(end, Math.min(to, end + 40))}`))
  const scored = among.map(each => {
    const own = wordsOf(nameOf(each.pointer).replaceAll('_', ' '))
    const named = own.filter(word => near.has(word)).length
    return { each, share: own.length === 0 ? 0 : named / own.length, named }
  })
  const most = Math.max(...scored.map(({ share }) => share))
  const first = scored.filter(({ share }) => share === most)
  const longest = Math.max(...first.map(({ named }) => named))
  return first.filter(({ named }) => named === longest).map(({ each }) => each)
}
/** The name of a value: the last member of its pointer; of a member called value, the one around it. */
function nameOf(pointer: string): string {
  const names = pointer.split('/').filter(each => each !== '' && !/^\d+$/.test(each))
  const last = names.at(-1) ?? ''
  return last === 'value' ? (names.at(-2) ?? last) : last
}

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
  function identityOf({ answer, pointer }: Value): string {
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
    if (value.kind === 'count') return `count ${value.answer} ${value.pointer.slice(0, value.pointer.lastIndexOf('/'))} ${value.value}`
    return `${value.field} ${value.value} ${value.unit} ${identityOf(value)}`
  }
  const listOf = ({ answer, pointer }: Value): string => `${answer}${pointer.replaceAll(/\/\d+(?=\/)/g, '/*')}`
  return values => {
    if (values.length < 2) return values
    const kept: { readonly value: Value; readonly fact: string }[] = []
    for (const value of values) {
      const fact = factOf(value)
      const isKnown = kept.some(each => each.fact === fact && (value.kind !== 'number' || listOf(each.value) !== listOf(value)))
      if (!isKnown) kept.push({ value, fact })
    }
    return kept.map(each => each.value)
  }
}
