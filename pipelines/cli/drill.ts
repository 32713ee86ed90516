// `crossfile drill`: interprets a release from a file or standard input and prints it for a terminal.
import { readFileSync } from 'node:fs'
import { DrillInterpretRequest } from '#schemas/drill.ts'
import { BadRequest } from '#schemas/errors.ts'
import { drillBody } from '#warehouse/answers/drill.ts'
import { interpretDrill } from '#warehouse/rules/drill/interpret.ts'
import { drillRulesOf } from '#warehouse/rulesets/drill/rules.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { columnsOf, heading, printJson, printTable, some } from './output.ts'

/** Reads, interprets and prints. Returns 0, or 1 if a flag of high severity was raised. */
export function drillCommand(argv: readonly string[], io: Io): number {
  const { values, rest } = readArguments('drill', commands.drill.options, argv, { most: 1, what: 'FILE' })
  const rules = drillRulesOf(values.ruleset)
  const request = DrillInterpretRequest.safeParse({
    text: textOf(rest[0]),
    ...(values['deposit-type'] === undefined ? {} : { deposit_type: values['deposit-type'] }),
    ...(values.intervals === undefined ? {} : { intervals: jsonOf(values.intervals) }),
  })
  if (!request.success) {
    const issue = request.error.issues[0]
    throw new BadRequest(`drill: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, { hint: 'crossfile help drill' })
  }
  const body = drillBody(request.data, interpretDrill(request.data, rules), rules)
  if (values.json) printJson(io, body)
  else print(io, body, request.data.text)
  return body.flags.some(flag => flag.severity === 'high') ? 1 : 0
}

/** The file, or standard input without one. */
function textOf(path: string | undefined): string {
  if (path === undefined && process.stdin.isTTY)
    throw new BadRequest('drill: nothing to read', { hint: 'crossfile drill release.txt, or crossfile drill < release.txt' })
  try {
    return readFileSync(path ?? 0, 'utf8')
  } catch (cause) {
    throw new BadRequest(`drill: ${path ?? 'standard input'} cannot be read`, { cause, hint: 'a text file in UTF-8' })
  }
}
function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new BadRequest(`drill: ${path} is not a JSON file`, { cause, hint: 'a list such as [{"from": 120, "to": 132.5, "au_gpt": 3.2}]' })
  }
}

type Body = ReturnType<typeof drillBody>
type Wire = Body['intervals'][number]
const shown = (value: unknown): string => (value === null || value === undefined ? '-' : JSON.stringify(value))

function print(io: Io, body: Body, text: string): void {
  const all = flat(body.intervals)
  io.out(heading(io, `${some(all.length, 'interval')}, deposit type ${body.deposit_type}, ${body.ruleset}`))
  if (all.length > 0) printTable(io, intervalColumns, all.map(intervalRow))
  const letters = [...text]
  const quote = (spans: readonly { start: number; end: number }[]): string =>
    spans.map(({ start, end }) => letters.slice(start, end).join('').replaceAll(/\s+/g, ' ')).join(' | ')
  section(
    'Flags',
    ['SEVERITY', 'CODE', 'AT', 'WHY'],
    body.flags.map(flag => [flag.severity, flag.code, flag.interval_ref, flag.explanation]),
  )
  section(
    'NI 43-101',
    ['ITEM', 'STATUS', 'WHY'],
    body.checklist.map(item => [item.item, item.status, item.explanation]),
  )
  section(
    'Not read',
    ['REASON', 'TEXT', 'WHY'],
    body.unread.slice(0, 40).map(each => [each.reason, quote(each.evidence as { start: number; end: number }[]), each.detail]),
  )
  section(
    'Disagreements',
    ['GIVEN', 'AT', 'FIELD', 'GIVEN VALUE', 'TEXT'],
    body.disagreements.map(each => [each.given, each.interval_ref, each.field, each.given_value, each.text_value]),
  )
  io.err('research data computed only from the text; not advice')

  function section(title: string, heads: readonly string[], rows: readonly (readonly (string | null)[])[]): void {
    if (rows.length === 0) return
    io.out('')
    io.out(heading(io, title))
    printTable(
      io,
      heads.map((head, at) => ({ head, wide: at === heads.length - 1 })),
      rows,
    )
  }
}

const intervalColumns = columnsOf('REF', 'HOLE', '>FROM', '>TO', '>LENGTH', '>TRUE', '>GT', '>AUEQ', '>RESIDUAL', 'BAND', '*GRADES')
const flat = (intervals: readonly Wire[]): Wire[] => intervals.flatMap(each => [each, ...flat(each.including as readonly Wire[])])

function intervalRow(row: Wire): (string | null)[] {
  const { derived, true_width: width } = row
  return [
    row.ref,
    row.hole,
    shown(row.from_m),
    shown(row.to_m),
    shown(row.length_m),
    width ? (shown(width.low_m) === shown(width.high_m) ? shown(width.low_m) : `${shown(width.low_m)}-${shown(width.high_m)}`) : '-',
    shown(derived.grade_thickness[0]?.value),
    shown(derived.equivalents.find(each => each.metal === 'AuEq')?.value),
    shown(derived.residual[0]?.grade),
    row.band.band,
    row.grades
      .map(grade => `${grade.qualifier ?? ''}${shown(grade.value)} ${grade.unit} ${grade.metal ?? '?'}${grade.capped ? ' (cut)' : ''}`)
      .join(', '),
  ]
}
