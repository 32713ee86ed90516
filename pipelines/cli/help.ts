// The help pages, and the lookup of a command from the first words of a command line.
import { BadRequest } from '#schemas/errors.ts'
import { nearest } from '#schemas/nearest-name.ts'
import { type Command, type CommandName, commandNames, commands } from './commands.ts'
import type { Io } from './io.ts'
import { heading } from './output.ts'

const groups: readonly (readonly [title: string, names: readonly CommandName[]])[] = [
  ['Run', ['start', 'open', 'worker', 'api', 'migrate', 'completion']],
  ['Watch', ['status', 'doctor', 'jobs', 'runs', 'runs log', 'runs dead', 'telemetry']],
  [
    'Steer',
    [
      'run',
      'backfill',
      'runs redrive',
      'quarantine',
      'quarantine release',
      'quarantine reject',
      'correct',
      'incidents',
      'upstreams',
      'upstreams lift',
      'keys',
    ],
  ],
  ['People', ['users', 'admin', 'outbox', 'erasures', 'audit verify']],
  ['Keep', ['backup', 'backup list', 'backup verify', 'restore']],
  [
    'Receipts',
    [
      'receipt',
      'receipts',
      'receipts diff',
      'receipts check',
      'receipts history',
      'reproduce',
      'receipt-log',
      'receipt-log continue',
      'witness',
      'witness status',
      'signing-keys',
      'signing-keys list',
      'signing-keys rotate',
      'signing-keys revoke',
      'signing-keys import',
      'signing-keys export-public',
    ],
  ],
  ['Data', ['ingest', 'rebuild', 'repair', 'accuracy', 'eval', 'items', 'read', 'adjust']],
  ['Develop', ['new dataset', 'new operation', 'new source']],
  ['Calculate', ['withholding', 'drill', 'delisting', 'blue-sky', 'flow-through', 'offering', 'rulesets']],
]

export const exitCodes = [
  '0    fine',
  '1    the command ran, but its result is negative',
  '2    wrong use: an unknown command or option, or an invalid setting',
  '3    not reachable: no database, nothing runs',
  '130  stopped by Ctrl-C',
] as const

/** The list of commands. */
export function overview(io: Pick<Io, 'colour'>): string {
  const width = Math.max(...groups.flatMap(([, names]) => names.map(name => name.length)))
  return [
    'Crossfile: signed, reproducible answers from EDGAR filings and market data.',
    '',
    'crossfile COMMAND [options]      crossfile help COMMAND      crossfile --version',
    ...groups.flatMap(([title, names]) => ['', heading(io, title), ...names.map(name => `  ${name.padEnd(width)}  ${commands[name].summary}`)]),
    '',
    heading(io, 'Settings'),
    '  CROSSFILE_DATA     the data folder (./data)',
    '  DATABASE_URL       a PostgreSQL server to use instead of the embedded one',
    '  CROSSFILE_CONTACT  a contact for the SEC: enables the EDGAR jobs',
    '  CROSSFILE_LOG      error, warn, info or debug; debug also shows where an error came from',
    '  CROSSFILE_LOG_FORMAT=json  log lines as JSON',
    '',
    heading(io, 'Exit codes'),
    ...exitCodes.map(line => `  ${line}`),
  ].join('\n')
}

/** One command with its options and examples. */
export function helpOf(io: Pick<Io, 'colour'>, name: CommandName): string {
  const command: Command = commands[name]
  const options = Object.entries(command.options).map(
    ([option, { value, about }]) => [`--${option}${value === undefined ? '' : ` ${value}`}`, about] as const,
  )
  const below = commandNames.filter(other => other.startsWith(`${name} `))
  const width = Math.max(0, ...options.map(([option]) => option.length), ...below.map(other => other.length))
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', heading(io, title), ...lines.map(line => `  ${line}`)]
  return [
    `${name}: ${command.summary}`,
    '',
    ...command.usage.map(usage => `  ${usage}`),
    ...(command.details ? ['', ...command.details] : []),
    ...section(
      'Options',
      options.map(([option, about]) => `${option.padEnd(width)}  ${about}`),
    ),
    ...section(
      'Commands',
      below.map(other => `${other.padEnd(width)}  ${commands[other].summary}`),
    ),
    ...section(
      'Examples',
      command.examples.flatMap(example => (typeof example === 'string' ? [example] : [example[0], `    ${example[1]}`])),
    ),
    ...section('Exit codes', command.exits ?? []),
  ].join('\n')
}

/** The command that the first words name (longest name first) and the remaining words; throws `BadRequest` with the nearest name. */
export function findCommand(argv: readonly string[]): { readonly name: CommandName; readonly rest: readonly string[] } {
  const [first = '', second] = argv
  const two = second === undefined ? undefined : commandNames.find(name => name === `${first} ${second}`)
  if (two) return { name: two, rest: argv.slice(2) }
  const one = commandNames.find(name => name === first)
  if (one) return { name: one, rest: argv.slice(1) }
  const near = nearest(
    first,
    commandNames.filter(name => !name.includes(' ')),
  )
  throw new BadRequest(`there is no command ${JSON.stringify(first)}`, {
    hint: near ? `did you mean ${near}? (crossfile help ${near})` : 'crossfile help lists them',
  })
}

/** `crossfile help [COMMAND]`. */
export function help(argv: readonly string[], io: Io): number {
  const words = argv.filter(word => word !== '--help')
  if (words.length === 0) io.out(overview(io))
  else {
    const { name, rest } = findCommand(words)
    if (rest.length > 0) {
      const near = nearest(
        rest[0] ?? '',
        commandNames.filter(each => each.startsWith(`${name} `)).map(each => each.slice(name.length + 1)),
      )
      throw new BadRequest(`there is no command ${JSON.stringify(words.join(' '))}`, {
        hint: near ? `did you mean ${name} ${near}?` : `crossfile help ${name}`,
      })
    }
    io.out(helpOf(io, name))
  }
  return 0
}
