import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { testFolders } from '#fixtures/test-folder.ts'
import { connect, type Postgres } from '#warehouse/store/postgres.ts'
import { deadLetterQueue, openQueue } from '#warehouse/store/queue.ts'
import { commandNames, commands } from './commands.ts'
import { type KeptIo, keptIo } from './kept-io.ts'
import { main } from './main.ts'

const aFolder = testFolders('crossfile-cli')

async function run(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; io: KeptIo; out: string; err: string }> {
  const io = keptIo(env)
  const code = await main(argv, io, env)
  return { code, io, out: io.output.out.join('\n'), err: io.output.err.join('\n') }
}

describe('the command line', () => {
  test('a word that is no command names the nearest one and is wrong use', async () => {
    const { code, err } = await run(['stauts'])
    expect([code, err]).toEqual([2, 'crossfile: there is no command "stauts"\n  did you mean status? (crossfile help status)'])
  })
  test('nothing at all shows the list and is wrong use; asking for it is fine', async () => {
    expect(await run([])).toMatchObject({ code: 2, out: '' })
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    expect(out).toContain('130  stopped by Ctrl-C')
  })
  test('the version is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
    expect((await run(['--version'])).out).toBe(`crossfile ${version}`)
  })
  test.each(commandNames)('%s --help shows its options and an example', async name => {
    const { code, out } = await run([...name.split(' '), '--help'])
    expect(code).toBe(0)
    expect(out).toContain(commands[name].summary)
    expect(out).toContain([commands[name].examples[0]].flat()[0])
    for (const option of Object.keys(commands[name].options)) expect(out).toContain(`--${option}`)
  })
  test.each(commandNames.filter(name => name !== 'help' && name !== 'keys'))('%s refuses an option that it does not know', async name => {
    const { code, err } = await run([...name.split(' '), '--jsonn'])
    expect(code).toBe(2)
    expect(err).toContain('no option --jsonn')
  })
  test('a subcommand that does not exist is not taken for something else', async () => {
    expect((await run(['quarantine', 'shw', '3'])).code).toBe(2)
    expect((await run(['help', 'quarantine', 'shw'])).err).toContain('did you mean quarantine show?')
  })
  test('an environment that cannot be used is wrong use, and a machine gets its document all the same', async () => {
    const { code, io } = await run(['jobs', '--json'], { CROSSFILE_LOG: 'loud' })
    expect(code).toBe(2)
    expect(io.json()).toMatchObject({ error: expect.stringContaining('CROSSFILE_LOG'), hint: 'set or unset CROSSFILE_LOG' })
  })
  test.each(['repair --dry-run', 'rebuild', 'reproduce --sample 1', 'read-held', 'quarantine release 1', 'status', 'runs'])(
    '%s with a data folder that is not there is 3, and makes none',
    async line => {
      const data = join(aFolder(), 'mistyped')
      const { code, err } = await run(line.split(' '), { CROSSFILE_DATA: data })
      expect([code, err]).toEqual([3, expect.stringContaining(`no data yet: ${data} has no database`)])
      expect(existsSync(data)).toBe(false)
    },
  )
  test('two arguments of which one is given are counted', async () => {
    expect((await run(['receipts', 'diff', 'r1_a'])).err).toContain('receipts diff: two receipt ids are needed, 1 given')
  })
  test('a database that cannot be reached is 3, and its password is not shown', async () => {
    const { code, err } = await run(['runs'], { DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/x' })
    expect(code).toBe(3)
    expect(err).toContain('PostgreSQL at 127.0.0.1:1/x cannot be reached')
    expect(err).not.toContain('hidden')
  })
  test('commands that only look make no database', async () => {
    const data = aFolder()
    for (const argv of [['status'], ['runs'], ['quarantine'], ['keys', 'list'], ['backfill', 'list']])
      expect(await run(argv, { CROSSFILE_DATA: data })).toMatchObject({ code: 3, err: expect.stringContaining('has no database') })
    const { code, io } = await run(['jobs', '--json'], { CROSSFILE_DATA: data })
    expect(code).toBe(0)
    expect(
      io.json<{ jobs: { name: string; on: boolean; why_off: string | null; next_run: string | null }[] }>().jobs.find(job => job.name === 'bars-us'),
    ).toMatchObject({
      on: false,
      why_off: expect.stringContaining('EODHD_API_TOKEN'),
      next_run: null,
    })
  })
})

describe('an operator with a database', () => {
  let env: Record<string, string> = {}
  let postgres: Postgres
  beforeAll(async () => {
    const url = await createTestDatabase()
    env = { DATABASE_URL: url, CROSSFILE_DATA: aFolder(), EODHD_API_TOKEN: 'x' }
    postgres = connect(url)
  })
  afterAll(() => postgres.close())

  test('a folder is read, and the report says what became of every file', async () => {
    const folder = aFolder()
    mkdirSync(join(folder, 'prices'))
    // 2024-06-29 is a Saturday.
    writeFileSync(
      join(folder, 'prices', 'MAPL.TO.csv'),
      'Date,Open,High,Low,Close,Volume\n2024-06-28,27.45,27.60,27.30,27.50,184200\n2024-06-29,27.50,27.50,27.50,27.50,0\n',
    )
    writeFileSync(join(folder, 'prices', 'notes.bin'), 'nothing that anybody reads')
    writeFileSync(join(folder, 'README.md'), '# about this folder')
    const { code, io } = await run(['ingest', '--recorded', folder, '--json'], env)
    expect(code).toBe(0)
    expect(io.json()).toMatchObject({
      files: 2,
      read: { 'csv.bars': 1 },
      already_held: 0,
      rows: { bars: 1 },
      releases: [1],
      quarantined: [{ dataset: 'bars', reason: 'not_a_session', count: 1, example: expect.stringContaining('MAPL.TO 2024-06-29') }],
      not_read: [{ folder: 'prices', reason: 'no reader recognises it', count: 1, example: 'notes.bin' }],
      left_out: [{ folder: '.', reason: 'note', count: 1, example: 'README.md' }],
    })
    const again = await run(['ingest', '--recorded', folder], env)
    expect(again.code).toBe(0)
    expect(again.out).toContain('2 already read')
    expect(again.out).toContain('no new rows')
  })

  test('a folder in which nothing can be read is a failure, one that is not there wrong use', async () => {
    const folder = aFolder()
    writeFileSync(join(folder, 'x.bin'), 'nothing')
    expect(await run(['ingest', '--recorded', folder], env)).toMatchObject({ code: 1, out: expect.stringContaining('no reader recognises it') })
    expect(await run(['ingest', '--recorded', join(folder, 'missing')], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not a folder'),
    })
  })

  test('a released finding becomes a row at once, and the word is in the journal', async () => {
    const listed = (await run(['quarantine', '--subject', 'MAPL', '--json'], env)).io.json<{
      total: number
      items: { quarantine_id: number; reason: string }[]
    }>()
    expect(listed).toMatchObject({ total: 1, items: [{ reason: 'not_a_session', state: 'held' }] })
    const id = String(listed.items[0]?.quarantine_id)
    const shown = await run(['quarantine', 'show', id], env)
    expect(shown.out).toContain('MAPL.TO.csv')
    expect(shown.out).toContain(`crossfile quarantine release ${id}`)

    const { code, io } = await run(['quarantine', 'release', id, '--note', 'the exchange opened', '--json'], env)
    expect(code).toBe(0)
    expect(io.json()).toMatchObject({ decision: 'released', documents: [{ rows: { bars: 1 }, release: 2, newly_held: 0 }] })
    const journal = readFileSync(join(env['CROSSFILE_DATA'] ?? '', 'raw', 'decisions.jsonl'), 'utf8')
    expect(JSON.parse(journal)).toMatchObject({ dataset: 'bars', subject: 'MAPL.TO', decision: 'released', note: 'operator: the exchange opened' })
    expect(await run(['quarantine', 'release', id], env)).toMatchObject({ code: 2, err: expect.stringContaining('released already') })
    expect(await run(['quarantine', 'reject', '999'], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no finding 999; nothing was changed'),
    })
    expect((await run(['quarantine'], env)).out).toBe('nothing is held back')
  })

  test('status counts what is there and says that nothing runs', async () => {
    const { code, io } = await run(['status', '--json'], env)
    expect(code).toBe(3)
    const found = io.json<{ datasets: { dataset: string }[] }>()
    expect(found).toMatchObject({
      state: 'not_running',
      release: { release: 2, job: 'decision' },
      workers: 0,
      quarantine: { held: 0 },
      queue: { dead: 0 },
    })
    expect(found.datasets.find(each => each.dataset === 'bars')).toMatchObject({ rows: 2, files: 2, newest: '2024-06-29' })
    expect((await run(['status'], env)).out).toContain('! nothing runs')
    expect(await run(['status', '--alive'], env)).toMatchObject({ code: 3, out: 'no worker runs' })
  })

  test('a key is shown once, listed by its ending and revoked by it', async () => {
    const made = (
      await run(['keys', 'create', '--name', 'spreadsheet', '--tier', 'prime', '--scopes', 'market:read', '--expires-days', '90', '--json'], env)
    ).io.json<{ key: string; last4: string }>()
    expect(made).toMatchObject({ name: 'spreadsheet', tier: 'prime', scopes: ['market:read'], expires_at: '2027-02-18T20:00:00.000Z' })
    expect(made.key).toMatch(/^cf_live_\w{38}$/)
    const listed = await run(['keys', 'list'], env)
    expect(listed.out).toContain(made.last4)
    expect(listed.out).not.toContain(made.key)
    expect(await run(['keys', 'revoke', made.last4], env)).toMatchObject({ code: 0, out: expect.stringContaining('is revoked') })
    expect(await run(['keys', 'revoke', 'nope'], env)).toMatchObject({ code: 1, err: expect.stringContaining('no key nope') })
    expect(await run(['keys', 'create', '--name', 'x', '--tier', 'gold'], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining('one of free, core'),
    })
  })

  test('the same backfill again resumes: what is done stays done, what waits is not sent twice', async () => {
    const argv = ['backfill', 'bars-us', '--from', '2025-11-26', '--to', '2025-12-01', '--no-wait', '--json']
    const first = (await run(argv, env)).io.json<{ backfill_id: number }>()
    expect(first).toMatchObject({ windows: 3, already_done: 0, sent: 3, waiting_already: 0 })
    await postgres.db.updateTable('backfill_window').set({ state: 'done' }).where('partition', '=', '2025-12-01').execute()
    expect((await run(argv, env)).io.json()).toMatchObject({
      backfill_id: first.backfill_id,
      windows: 3,
      already_done: 1,
      sent: 0,
      waiting_already: 2,
    })
    const list = (await run(['backfill', 'list', '--json'], env)).io.json()
    expect(list).toMatchObject({
      backfills: [{ job: 'bars-us', from_date: '2025-11-26', to_date: '2025-12-01', total: 3, done: 1, waiting: 2, failed: 0, symbols: null }],
    })
  })

  test('a job that is off and that no worker could run is refused before anything is sent', async () => {
    expect(await run(['run', 'history-tiingo', '--symbols', 'AAPL'], env)).toMatchObject({ code: 2, err: expect.stringContaining('TIINGO_API_KEY') })
    expect(await run(['run', 'bars-uk'], env)).toMatchObject({ code: 2, err: expect.stringContaining('did you mean bars-us?') })
    expect(await run(['backfill', 'symbols-us', '--from', '2026-01-01', '--to', '2026-01-02'], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining('has only current data'),
    })
  })

  test('a dead letter shows its reason and goes back into its queue, once', async () => {
    const queue = await openQueue(postgres.db, false, () => undefined)
    try {
      const [claimed] = await queue.claim('bars-us', 1)
      if (!claimed) throw new Error('no job waits')
      await postgres.db.updateTable('backfill_window').set({ state: 'failed' }).where('partition', '=', claimed.data.partition).execute()
      await queue.bury(claimed, { error: 'Unreadable', message: 'eodhd: truncated' })
    } finally {
      await queue.close()
    }
    expect((await run(['runs', 'dead', '--json'], env)).io.json()).toMatchObject({
      dead_letters: [{ job: 'bars-us', reason: 'Unreadable: eodhd: truncated' }],
    })
    const redriven = (await run(['runs', 'redrive', '--job', 'bars-us', '--json'], env)).io.json<{ redriven: { job: string; partition: string }[] }>()
      .redriven
    expect(redriven).toMatchObject([{ job: 'bars-us' }])
    expect((await run(['runs', 'dead'], env)).out).toBe('no dead letters')
    const window = await postgres.db
      .selectFrom('backfill_window')
      .select('state')
      .where('partition', '=', redriven[0]?.partition ?? '')
      .executeTakeFirst()
    expect(window?.state).toBe('waiting')
    expect(deadLetterQueue).toBe('dead-letter')
  })

  test('runs are listed newest first, by job and state', async () => {
    await postgres.db
      .insertInto('job_run')
      .values(
        (['done', 'failed'] as const).map((state, at) => ({
          job: 'fx',
          queue_job: null,
          attempt: at,
          partition: '2026-Q4',
          backfill_id: null,
          worker: 'w',
          state,
          started_at: '2026-11-20T19:00:00Z',
          finished_at: '2026-11-20T19:00:02Z',
          release: null,
          rows: 1234,
          error: state === 'failed' ? 'bank-of-canada: 503' : null,
        })),
      )
      .execute()
    const { runs } = (await run(['runs', '--job', 'fx', '--json'], env)).io.json<{ runs: { state: string }[] }>()
    expect(runs.map(each => each.state)).toEqual(['failed', 'done'])
    const { out } = await run(['runs', '--state', 'failed'], env)
    expect(out).toContain('failed, try 2')
    expect(out).toContain('bank-of-canada: 503')
    expect(await run(['runs', '--state', 'broken'], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining('one of running, done, failed, lost'),
    })
    expect((await run(['jobs'], env)).out).toContain('failed 59 min')
  })
  test('a rename of an unknown symbol is shown, and a release that changes nothing states what to do', async () => {
    const folder = aFolder()
    writeFileSync(join(folder, 'renames.csv'), 'from,to,date\nNOSUCHA,NOSUCHB,2024-06-28\n')
    expect((await run(['ingest', '--recorded', folder], env)).out).toContain('symbols rename_of_unknown_symbol: 1')
    const listed = (await run(['quarantine', '--subject', 'NOSUCHA', '--json'], env)).io.json<{ items: { quarantine_id: number }[] }>()
    const id = String(listed.items[0]?.quarantine_id)
    const released = await run(['quarantine', 'release', id], env)
    expect(released.out).toContain(`refused again, for the reason that crossfile quarantine show ${id} gives: ${id}`)
    expect((await run(['quarantine', 'show', id], env)).out).toContain('neither symbol is in any list')

    writeFileSync(join(folder, 'symbols.csv'), 'symbol,name,exchange,first_date,last_date\nNOSUCHA,No Such Inc.,US,2024-01-02,2024-06-27\n')
    await run(['ingest', '--recorded', folder], env)
    const rejected = await run(['quarantine', 'reject', id, '--json'], env)
    expect(rejected.io.json()).toMatchObject({ documents: [{ rows: {} }] })
    const { io } = await run(['quarantine', 'release', id, '--json'], env)
    expect(io.json()).toMatchObject({ documents: [{ rows: { symbols: 2 }, refused_again: [] }] })
  })
})
