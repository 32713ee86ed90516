// The command line. Finds the command, loads only what it needs, and turns errors into a message and an exit code.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadConfig } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import { version } from '../jobs/version.ts'
import { crashPointsOf } from '../jobs/worker/crash-points.ts'
import { readArguments } from './arguments.ts'
import { type CommandName, commands } from './commands.ts'
import { programFile } from './compiled.mjs'
import { explain } from './explain.ts'
import { findCommand, help, helpOf, overview } from './help.ts'
import { type Io, processIo } from './io.ts'

const root = join(import.meta.dirname, '..', '..')

type Env = Readonly<Record<string, string | undefined>>
type Run = (argv: readonly string[], io: Io, env: Env) => number | Promise<number>

/** A command that only has subcommands prints its help. */
const groupHelp =
  (name: CommandName): Run =>
  (argv, io) => {
    readArguments(name, commands[name].options, argv)
    io.err(helpOf(io, name))
    return 2
  }

/** Each command's file is loaded when it is called: `crossfile keys list` needs no DuckDB. */
const runs: Readonly<Record<CommandName, Run>> = {
  help: (argv, io) => help(argv, io),
  start: async (argv, _io, env) => {
    readArguments('start', commands.start.options, argv)
    return (await import('./start.ts')).start(argv, env as NodeJS.ProcessEnv)
  },
  worker: async (argv, io) => {
    readArguments('worker', commands.worker.options, argv)
    await (await import('../jobs/start-check.ts')).checkWorkerStart(io.config())
    const { workerMain } = await import('../jobs/worker/worker.ts')
    await workerMain(io.config())
    return 0
  },
  api: async (argv, _io, env) => {
    readArguments('api', commands.api.options, argv)
    return await runProgram('api/server.ts', env)
  },
  migrate: async (argv, io) => (await import('./migrate.ts')).migrateCommand(argv, io),
  status: async (argv, io) => (await import('./status.ts')).status(argv, io),
  jobs: async (argv, io) => (await import('./jobs.ts')).jobs(argv, io),
  run: async (argv, io) => (await import('./run.ts')).run(argv, io),
  runs: async (argv, io) => (await import('./runs.ts')).runs(argv, io),
  'runs log': async (argv, io) => (await import('./runs.ts')).runsLog(argv, io),
  'runs dead': async (argv, io) => (await import('./runs.ts')).runsDead(argv, io),
  'runs redrive': async (argv, io) => (await import('./runs.ts')).runsRedrive(argv, io),
  backfill: async (argv, io) => (await import('./backfill.ts')).backfill(argv, io),
  'backfill list': async (argv, io) => (await import('./backfill.ts')).backfillList(argv, io),
  quarantine: async (argv, io) => (await import('./quarantine.ts')).quarantine(argv, io),
  'quarantine show': async (argv, io) => (await import('./quarantine.ts')).quarantineShow(argv, io),
  'quarantine release': async (argv, io) => (await import('./decide.ts')).decide('released', argv, io),
  'quarantine reject': async (argv, io) => (await import('./decide.ts')).decide('rejected', argv, io),
  correct: async (argv, io) => (await import('./correct.ts')).correct(argv, io),
  ingest: async (argv, io, env) => (await import('./ingest.ts')).ingestFolder(argv, io, crashPointsOf(env['CROSSFILE_TEST_CRASH'])),
  'read-held': async (argv, io, env) => (await import('./read-held.ts')).readHeldCommand(argv, io, crashPointsOf(env['CROSSFILE_TEST_CRASH'])),
  telemetry: async (argv, io) => (await import('./telemetry.ts')).telemetry(argv, io),
  incidents: async (argv, io) => (await import('./incidents.ts')).incidents(argv, io),
  'incidents open': async (argv, io) => (await import('./incidents.ts')).incidentsOpen(argv, io),
  'incidents update': async (argv, io) => (await import('./incidents.ts')).incidentsUpdate(argv, io),
  admin: groupHelp('admin'),
  'admin create': async (argv, io) => (await import('./admin.ts')).adminCreate(argv, io),
  'admin list': async (argv, io) => (await import('./admin.ts')).adminList(argv, io),
  'admin revoke': async (argv, io) => (await import('./admin.ts')).adminRevoke(argv, io),
  'admin replace-keys': async (argv, io) => (await import('./admin.ts')).adminReplaceKeys(argv, io),
  'audit verify': async (argv, io) => (await import('./audit.ts')).auditVerify(argv, io),
  keys: (_argv, io) => {
    io.err(helpOf(io, 'keys'))
    return 2
  },
  'keys create': async (argv, io) => (await import('./keys.ts')).keysCreate(argv, io),
  'keys list': async (argv, io) => (await import('./keys.ts')).keysList(argv, io),
  'keys revoke': async (argv, io) => (await import('./keys.ts')).keysRevoke(argv, io),
  erasures: async (argv, io) => (await import('./erasures.ts')).erasures(argv, io),
  'erasures replay': async (argv, io) => (await import('./erasures.ts')).erasuresReplay(argv, io),
  outbox: async (argv, io) => (await import('./outbox.ts')).outbox(argv, io),
  'outbox show': async (argv, io) => (await import('./outbox.ts')).outboxShow(argv, io),
  'outbox retry': async (argv, io) => (await import('./outbox.ts')).outboxRetry(argv, io),
  users: groupHelp('users'),
  'users list': async (argv, io) => (await import('./users.ts')).usersList(argv, io),
  'users show': async (argv, io) => (await import('./users.ts')).usersShow(argv, io),
  'users disable': async (argv, io) => (await import('./users.ts')).usersSet(false, argv, io),
  'users enable': async (argv, io) => (await import('./users.ts')).usersSet(true, argv, io),
  'users remove-factor': async (argv, io) => (await import('./users.ts')).usersRemoveFactor(argv, io),
  'users reviewer': async (argv, io) => (await import('./users.ts')).usersReviewer(argv, io),
  reviews: async (argv, io) => (await import('./reviews.ts')).reviews(argv, io),
  updates: async (argv, io) => (await import('./updates.ts')).updates(argv, io),
  'updates check': async (argv, io) => (await import('./updates.ts')).updatesCheck(argv, io),
  receipt: async (argv, io) => (await import('./receipt.ts')).receipt(argv, io),
  receipts: groupHelp('receipts'),
  'receipts history': async (argv, io) => (await import('./receipts-history.ts')).receiptsHistory(argv, io),
  reproduce: async (argv, io) => (await import('./reproduce.ts')).reproduceCommand(argv, io),
  'receipts diff': async (argv, io) => (await import('./receipts-diff.ts')).receiptsDiff(argv, io),
  'receipts check': async (argv, io) => (await import('./receipts-check.ts')).receiptsCheck(argv, io),
  'receipt-log': async (argv, io) => (await import('./receipt-log.ts')).receiptLog(argv, io),
  'receipt-log continue': async (argv, io) => (await import('./receipt-log.ts')).receiptLogContinue(argv, io),
  witness: async (argv, io) => (await import('./witness/witness.ts')).witness(argv, io),
  'witness status': async (argv, io) => (await import('./witness/witness.ts')).witnessStatus(argv, io),
  'signing-keys': groupHelp('signing-keys'),
  'signing-keys list': async (argv, io) => (await import('./signing-keys.ts')).signingKeysList(argv, io),
  'signing-keys rotate': async (argv, io) => (await import('./signing-keys.ts')).signingKeysRotate(argv, io),
  'signing-keys revoke': async (argv, io) => (await import('./signing-keys.ts')).signingKeysRevoke(argv, io),
  'signing-keys import': async (argv, io) => (await import('./signing-keys.ts')).signingKeysImport(argv, io),
  'signing-keys export-public': async (argv, io) => (await import('./signing-keys.ts')).signingKeysExportPublic(argv, io),
  repair: async (argv, io) => (await import('./repair.ts')).repair(argv, io),
  backup: async (argv, io) => (await import('./backup.ts')).backup(argv, io),
  'backup list': async (argv, io) => (await import('./backup.ts')).backupList(argv, io),
  'backup verify': async (argv, io) => (await import('./backup.ts')).backupVerify(argv, io),
  restore: async (argv, io) => (await import('./restore.ts')).restore(argv, io),
  doctor: async (argv, io) => (await import('./doctor.ts')).doctor(argv, io),
  'lake publish': async (argv, io) => (await import('./lake-publish.ts')).lakePublish(argv, io),
  'lake ducklake': async (argv, io) => (await import('./lake-ducklake.ts')).lakeDucklake(argv, io),
  rebuild: async (argv, io) => (await import('./rebuild.ts')).rebuild(argv, io),
  upstreams: async (argv, io) => (await import('./upstreams.ts')).upstreams(argv, io),
  'upstreams lift': async (argv, io) => (await import('./upstreams.ts')).upstreamsLift(argv, io),
  open: async (argv, io) => (await import('./open.ts')).openCommand(argv, io),
  completion: async (argv, io) => (await import('./completion.ts')).completion(argv, io),
  accuracy: async (argv, io) => {
    readArguments('accuracy', commands.accuracy.options, argv)
    return await (await import('./accuracy.ts')).accuracy(argv, io)
  },
  ask: async (argv, io) => (await import('./ask.ts')).ask(argv, io),
  // Its questions and its simulator are fixtures, which the product does not import.
  eval: async (argv, _io, env) => {
    readArguments('eval', commands.eval.options, argv)
    return await runProgram('fixtures/assistant/eval.ts', env, argv)
  },
  items: async (argv, io) => (await import('./items.ts')).itemsCommand(argv, io),
  read: async (argv, io) => (await import('./read.ts')).readCommand(argv, io),
  drill: async (argv, io) => (await import('./drill.ts')).drillCommand(argv, io),
  rulesets: async (argv, io) => (await import('./rulesets.ts')).rulesets(argv, io),
  'rulesets show': async (argv, io) => (await import('./rulesets.ts')).rulesetsShow(argv, io),
  'rulesets diff': async (argv, io) => (await import('./rulesets.ts')).rulesetsDiff(argv, io),
  'rulesets answer': async (argv, io) => (await import('./rulesets-answer.ts')).rulesetsAnswer(argv, io),
  'blue-sky': async (argv, io) => (await import('./blue-sky.ts')).blueSkyCommand(argv, io),
  delisting: async (argv, io) => (await import('./delisting.ts')).delistingCommand(argv, io),
  'flow-through': async (argv, io) => (await import('./flow-through.ts')).flowThroughCommand(argv, io),
  offering: async (argv, io) => (await import('./flow-through.ts')).offeringCommand(argv, io),
  withholding: async (argv, io) => (await import('./withholding.ts')).withholdingCommand(argv, io),
  new: groupHelp('new'),
  'new dataset': async (argv, io) => (await import('./new.ts')).newDataset(argv, io),
  'new operation': async (argv, io) => (await import('./new.ts')).newOperation(argv, io),
  'new source': async (argv, io) => (await import('./new.ts')).newSource(argv, io),
  adjust: async (argv, io) => {
    readArguments('adjust', commands.adjust.options, argv)
    return await (await import('./adjust.ts')).adjust(argv, io)
  },
}

/** Runs a command line and returns its exit code; never throws. */
export async function main(argv: readonly string[], io: Io, env: Env): Promise<number> {
  try {
    const [first] = argv
    if (first === '--version' || first === '-v') {
      io.out(`crossfile ${version}`)
      return 0
    }
    if (first === undefined) {
      io.err(overview(io))
      return 2
    }
    if (first === '--help' || first === '-h') return help(argv.slice(1), io)
    if (first.startsWith('-'))
      throw new BadRequest(`the command comes first, then its options: ${first}`, { hint: 'crossfile help lists the commands' })
    const { name, rest } = findCommand(argv)
    if (rest.some(word => word === '--help' || word === '-h')) {
      io.out(helpOf(io, name))
      return 0
    }
    return await runs[name](rest, io, env)
  } catch (error) {
    return await explain(error, argv, io)
  }
}

/**
 * Runs another program of Crossfile as a child process: the API is a separate program that shares no code with this layer. Signals are
 * passed on once (the child leads its own session), and it ends when this process is gone.
 */
async function runProgram(program: string, env: Env, argv: readonly string[] = []): Promise<number> {
  const watch = pathToFileURL(join(import.meta.dirname, 'with-parent.mjs')).href
  const child: ChildProcess = spawn(process.execPath, ['--import', watch, programFile(root, program), ...argv], {
    env: { ...env, CROSSFILE_PARENT_PIPE: '3' },
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    detached: process.platform !== 'win32',
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)))
  })
}

/** The output has been flushed. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise(resolve => (stream.writable ? stream.write('', () => resolve()) : resolve()))

if (import.meta.main) {
  const { env } = process
  const code = await main(
    process.argv.slice(2),
    processIo(env, () => loadConfig(env)),
    env,
  )
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  process.exit(code)
}
