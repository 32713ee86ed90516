// Prints the evaluation of a listing on a terminal.
import type { delistingBody } from '#warehouse/answers/delisting.ts'
import type { Io } from './io.ts'
import { columnsOf, count, heading, printFacts, printTable, some, wrapped } from './output.ts'

type Body = ReturnType<typeof delistingBody>
type Check = Body['checks'][number]

const number = (value: object | null): string => {
  if (value === null) return '-'
  const text = JSON.stringify(value)
  const [whole = '', fraction] = text.split('.')
  return whole.length > 4 || fraction === undefined ? `${count(Number(whole))}${fraction === undefined ? '' : `.${fraction}`}` : text
}
const percent = (value: object | null): string => (value === null ? 'not known' : `${number(value)} %`)

export function printDelisting(io: Io, body: Body, text: string): void {
  const known = `${number(body.score_coverage_pct)} % of the weights${body.score_sufficient ? '' : ', too little to rely on'}`
  const score = body.score === null ? 'no score' : `score ${number(body.score)} of 100 over ${known}`
  for (const line of wrapped(io, `${body.ticker} by the rules of ${body.exchange}: ${score}`)) io.out(heading(io, line))
  printFacts(io, [
    ['rules', body.exchange_coverage.sentence],
    ...(body.listed_elsewhere === null ? [] : [['listed', body.listed_elsewhere] as const]),
    ['held', `${body.coverage}; as of ${body.day}`],
    ['fails', body.failing.join(', ') || nothingOf(body)],
    ['to watch', body.watching.join(', ') || 'nothing'],
  ])
  printChecks(io, body)
  printFloat(io, body)
  printAuditor(io, body)
  printCues(io, body, text)
  printScore(io, body)
  io.err(
    `${body.ruleset}, ${body.confidence.replaceAll('_', ' ')}; research data, not advice. --json has assumptions, sources and what is not covered`,
  )
}

/** The text if no check failed, with the number of unknown checks, which limit what that means. */
function nothingOf({ count: rules, unknown }: Body): string {
  if (rules === 0) return 'no rule is evaluated'
  return unknown.length === 0 ? 'nothing' : `nothing known;  ${some(unknown.length, 'check is', 'checks are')} unknown`
}

/** Required and watched rules first, then alternatives and information. Rules that do not apply appear only in --json. */
function printChecks(io: Io, { checks }: Body): void {
  const columns = columnsOf('STATUS', 'CHECK', '>VALUE', '>LIMIT', '*RULE')
  const row = (check: Check): string[] => [check.status, check.id, number(check.value), number(check.threshold), check.rule]
  const shown = checks.filter(({ status }) => status !== 'not_applicable')
  const groups = [
    ['Checks', shown.filter(({ role }) => role === 'required')],
    ['Alternatives: one standard is enough', shown.filter(({ role }) => role === 'alternative')],
    ['For information', shown.filter(({ role }) => role === 'information')],
  ] as const
  for (const [title, rows] of groups) {
    if (rows.length === 0) continue
    io.out('')
    io.out(heading(io, title))
    printTable(io, columns, rows.map(row))
  }
  const listed = shown.filter(({ status, role, clock }) => clock !== null || (role === 'required' && (status === 'fail' || status === 'watch')))
  for (const check of listed) {
    io.out('')
    io.out(heading(io, `${check.id}: ${check.title}`))
    for (const words of [check.reason, check.clock?.sentence, check.clock && clockWords(check.clock), check.consequence])
      if (words) for (const line of wrapped(io, words, 2)) io.out(line)
  }
  const unknown = shown.filter(({ status, role }) => status === 'unknown' && role === 'required')
  if (unknown.length === 0) return
  io.out('')
  io.out(heading(io, 'Not known'))
  for (const [reason, of] of Map.groupBy(unknown, each => each.reason ?? ''))
    for (const line of wrapped(io, `${of.map(({ id }) => id).join(', ')}: ${reason}`, 2)) io.out(line)
}

const clockWords = (clock: NonNullable<Check['clock']>): string =>
  `${clock.days_elapsed} of ${clock.days} ${clock.unit.replaceAll('_', ' ')} elapsed, ${clock.days_left} left${
    clock.mended_after === null ? '' : `; ${clock.mended_sessions} of ${clock.mended_after} consecutive sessions that cure it`
  }${clock.gaps > 0 ? `; ${some(clock.gaps, 'session')} without a close` : ''}`

function printFloat(io: Io, { float }: Body): void {
  io.out('')
  if (float.public_float_shares === null) {
    io.out('Float: unknown, since --total-shares was not given')
    return
  }
  io.out(heading(io, 'Float'))
  const part = (shares: object | null, share: object | null): string => `${number(shares)} (${percent(share)})`
  printFacts(io, [
    ['total', number(float.total_shares)],
    [
      'public float',
      `${part(float.public_float_shares, float.public_float_pct)}${float.band === null ? '' : `, ${float.band.replaceAll('_', ' ')}`}`,
    ],
    ['retail', part(float.retail_float_shares, float.retail_pct)],
    ['insiders', percent(float.insider_pct)],
    ['institutions', percent(float.institutional_pct)],
    ['restricted', percent(float.restricted_pct)],
    ...float.large_holders.map(
      ({ name, percent: share, accession }) =>
        ['over a tenth', `${name ?? 'no name'}: ${percent(share)}${accession === null ? '' : ` (${accession})`}`] as const,
    ),
    ...float.flags.map(({ explanation }) => ['note', explanation] as const),
  ])
}

function printAuditor(io: Io, { auditor }: Body): void {
  io.out('')
  const raised = auditor.flags.filter(({ status }) => status === 'raised').map(({ flag }) => flag)
  printFacts(io, [['auditor', `${auditor.status}: ${auditor.explanation}${raised.length === 0 ? '' : `; ${raised.join(', ')}`}`]])
}

function printCues(io: Io, { press_release: cues }: Body, text: string): void {
  if (cues.length === 0) return
  const letters = [...text]
  io.out('')
  io.out(heading(io, 'Words of the press release'))
  const rows = cues.map(({ status, cue, count: times, evidence: [first] }) => [
    status,
    cue,
    String(times),
    letters
      .slice(first?.start ?? 0, first?.end ?? 0)
      .join('')
      .replaceAll(/\s+/g, ' '),
  ])
  printTable(io, columnsOf('STATUS', 'CUE', '>TIMES', '*FIRST'), rows)
}

function printScore(io: Io, { score_breakdown: parts }: Body): void {
  io.out('')
  io.out(heading(io, 'Score'))
  const shown = parts.filter(({ status }) => status !== 'not_part')
  const rows = shown.map(part => [
    part.component,
    String(part.weight),
    part.status === 'unknown' ? 'not known' : number(part.points),
    part.from.join(', '),
  ])
  printTable(io, columnsOf('PART', '>WEIGHT', '>POINTS', '*FROM'), rows)
}
