// Every sample of the documentation is executed as a reader would, against a service of the bundled universe: curl in a shell, Python and
// TypeScript with the built clients, the address and the query of spreadsheets. What no two installations share (receipts, files, sessions) is
// put in place of the example's. A sample must get the answer of its operation; `expected` lists the ones whose example names a row of an account
// that a fresh account lacks, or needs what this service does not have.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drillRelease } from '#fixtures/pdf/drill-release.ts'
import { worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { type Operation, operations } from '#schemas/operations.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { buildClients } from '../../../clients/generate/main.ts'
import expectedFile from './samples.expected.json' with { type: 'json' }
import { type Sample, samplesOf } from './samples.ts'

/** Operations whose example gets an error here, by status, and why. */
const expected: ReadonlyMap<string, number> = new Map(expectedFile.flatMap(({ status, operations: ids }) => ids.map(id => [id, status] as const)))

const { db, key, server, warehouse } = await worldService()
const folder = mkdtempSync(join(tmpdir(), 'crossfile-samples-'))
const sealKey = openSealKey(keysFolderOf(warehouse.config.dataFolder))
const hasCurl = spawnSync('curl', ['--version']).status === 0
const python = process.env['CROSSFILE_PYTHON'] ?? 'python3'
const hasPython = spawnSync(python, ['-c', 'import httpx, typing_extensions']).status === 0
if (!hasCurl) console.log('the samples for curl are not executed: curl is absent')
if (!hasPython) console.log('the samples for Python are not executed: python3 with httpx is absent')

/** What the examples name, and what this installation has in its place. */
const stand: { from: string; to: string }[] = []
const standIn = (text: string): string => stand.reduce((now, { from, to }) => now.replaceAll(from, to), text)

beforeAll(async () => {
  const ask = (path: string): Promise<Response> => fetch(server.address + path, { headers: { authorization: `Bearer ${key}` } })
  const { receipt_id } = (await (await ask('/api/v1/data/form4?ticker=BRLX')).json()) as { receipt_id: string }
  const { files } = (await (await ask('/api/v1/data/bulk?dataset=bars')).json()) as { files: { sha256: string }[] }
  // The worker gives a receipt its place in the log within seconds.
  let proven = await ask(`/api/v1/data/receipts/proof/${receipt_id}`)
  for (; proven.status === 404; proven = await ask(`/api/v1/data/receipts/proof/${receipt_id}`))
    await new Promise(resolve => setTimeout(resolve, 100))
  const year = /\/receipts\/(\d{4})\n/.exec(await proven.text())?.[1] ?? ''
  stand.push(
    { from: `r1_${'kq3m7x2a'.repeat(6)}wz4a`, to: receipt_id },
    { from: '/receipts/2026/', to: `/receipts/${year}/` },
    { from: 'b'.repeat(64), to: files[0]?.sha256 ?? '' },
  )
  buildClients(join(folder, 'clients'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(folder, 'clients', 'typescript'), join(folder, 'node_modules', 'crossfile-client'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'document.pdf'), drillRelease().bytes)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Run = { readonly operation: Operation; readonly sample: Sample; readonly session: string; readonly code: string }

/** The samples of one kind, each with a session of its own, because some end theirs. */
async function runsOf(kind: Sample['id']): Promise<Run[]> {
  const runs: Run[] = []
  for (const operation of operations) {
    const sample = samplesOf(operation, server.address).find(each => each.id === kind)
    if (sample === undefined) continue
    runs.push({ operation, sample, session: await sessionFor(operation), code: standIn(sample.code) })
  }
  return runs
}
async function sessionFor({ access }: Operation): Promise<string> {
  if (access !== 'admin') return (await signedInUser(db, { tier: 'prime' })).token
  const admin = await signedInUser(db, { is_admin: true, kind: 'admin' })
  await enrolNow(db, sealKey, admin, new Date())
  return admin.token
}

/** The statuses that a sample may get: the error that the table expects, else the successes of the operation. */
function wanted({ id, success, other_successes }: Operation): number[] {
  const error = expected.get(id)
  return error === undefined ? [success, ...other_successes.map(([status]) => status)] : [error]
}
/** Asks again while the limit of anonymous clients is used up: how many samples a machine sends in a minute differs. */
async function untilAllowed<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 429) return answer
    await new Promise(resolve => setTimeout(resolve, 1000))
  }
}
type Got = { readonly id: string; readonly status: number; readonly text: string }
/** The samples whose status is another one, each with the beginning of the answer. */
const failures = (runs: readonly Run[], got: readonly Got[]): string[] => {
  const byId = new Map(got.map(each => [each.id, each]))
  return runs.flatMap(({ operation }) => {
    const found = byId.get(operation.id)
    return found !== undefined && wanted(operation).includes(found.status)
      ? []
      : [`${operation.id}: ${found?.status ?? 'did not run'} in place of ${wanted(operation).join(' or ')}: ${found?.text.slice(0, 300) ?? ''}`]
  })
}
const environment = { ...process.env, KEY: key, PYTHONDONTWRITEBYTECODE: '1' }
const execute = promisify(execFile)
const most = { maxBuffer: 64 * 1024 * 1024, timeout: 500_000 }

describe.skipIf(!hasCurl)('curl', () => {
  it('every sample gets the answer of its operation', async () => {
    const runs = await runsOf('curl')
    expect(runs.length).toBe(operations.length)
    const got: Got[] = []
    for (const { operation, session, code } of runs) {
      // The sample as it is printed: only the function adds what reports the status.
      const script = `curl() { command curl --silent --show-error --max-time 60 --output out --write-out '%{http_code}' "$@"; }\n${code}\necho; head -c 300 out\n`
      const answer = await untilAllowed(async () => {
        const { stdout } = await execute('bash', ['-c', script], { ...most, cwd: folder, env: { ...environment, SESSION: session } })
        const [status = '', ...text] = stdout.split('\n')
        return { status: Number(status), text: text.join(' ') }
      })
      got.push({ id: operation.id, ...answer })
    }
    expect(failures(runs, got)).toEqual([])
  })
})

/** A sample of a client throws for a status that is not a success: the error has the status. */
const clientResults = (stdout: string): Got[] =>
  stdout
    .split('\n')
    .filter(line => line.startsWith('\u0001'))
    .map(line => JSON.parse(line.slice(1)) as Got)
/** The clients return every success alike. */
const withSuccess = (runs: readonly Run[], got: readonly Got[]): Got[] =>
  got.map(each => (each.status === 0 ? { ...each, status: runs.find(run => run.operation.id === each.id)?.operation.success ?? 0 } : each))

describe('TypeScript', () => {
  it('every sample runs with the client, and gets the answer of its operation', async () => {
    const runs = await runsOf('typescript')
    for (const { operation, code } of runs) writeFileSync(join(folder, `${operation.id}.ts`), code)
    writeFileSync(join(folder, 'sessions.json'), JSON.stringify(runs.map(({ operation, session }) => [operation.id, session])))
    writeFileSync(
      join(folder, 'run.mjs'),
      `import { readFileSync } from 'node:fs'
console.log = () => {}
for (const [id, session] of JSON.parse(readFileSync('sessions.json', 'utf8'))) {
  process.env.SESSION = session
  const result = await import('./' + id + '.ts').then(() => ({ id, status: 0, text: '' }), error => ({ id, status: error.status ?? -1, text: String(error) }))
  process.stdout.write('\\u0001' + JSON.stringify(result) + '\\n')
}
`,
    )
    const { stdout } = await execute(process.execPath, ['run.mjs'], { ...most, cwd: folder, env: environment })
    expect(failures(runs, withSuccess(runs, clientResults(stdout)))).toEqual([])
  })
})

describe.skipIf(!hasPython)('Python', () => {
  it('every sample runs with the client, and gets the answer of its operation', async () => {
    const runs = await runsOf('python')
    writeFileSync(join(folder, 'samples.json'), JSON.stringify(runs.map(({ operation, session, code }) => ({ id: operation.id, session, code }))))
    writeFileSync(
      join(folder, 'run.py'),
      `import contextlib, io, json, os, sys

for sample in json.load(open("samples.json", encoding="utf-8")):
    os.environ["SESSION"] = sample["session"]
    result = {"id": sample["id"], "status": 0, "text": ""}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(sample["code"], sample["id"], "exec"), {"__name__": "__main__"})
    except Exception as error:
        result.update(status=getattr(error, "status", None) or -1, text=repr(error))
    print("\\x01" + json.dumps(result), flush=True)
`,
    )
    const env = { ...environment, PYTHONPATH: join(folder, 'clients', 'python') }
    const { stdout } = await execute(python, ['run.py'], { ...most, cwd: folder, env })
    expect(failures(runs, withSuccess(runs, clientResults(stdout)))).toEqual([])
  })
})

/** The request of a Power Query sample: base, path, fields of the query, and headers, read from its text as Excel does. */
function powerQuery(code: string): { readonly url: string; readonly headers: Record<string, string> } {
  const text = (literal: string): string => literal.slice(1, -1).replaceAll('""', '"')
  const base = /Web\.Contents\(\s*("(?:[^"]|"")*")/.exec(code)?.[1] ?? '""'
  const path = /RelativePath = ("(?:[^"]|"")*")/.exec(code)?.[1] ?? '""'
  const fields = /Query = \[((?:[^\]"]|"(?:[^"]|"")*")*)\]/.exec(code)?.[1] ?? ''
  const query = [...fields.matchAll(/(#"(?:[^"]|"")*"|\w+) = ("(?:[^"]|"")*")/g)].map(
    ([, name = '', value = '""']) => [name.startsWith('#') ? text(name.slice(1)) : name, text(value)] as const,
  )
  const headers = [...code.matchAll(/Headers = \[(\w+) = ("(?:[^"]|"")*")\]/g)].map(([, name = '', value = '""']) => [name, text(value)] as const)
  const address = `${text(base)}/${encodeURI(text(path))}`
  return { url: `${address}?${new URLSearchParams(query.map(each => [...each]))}`, headers: Object.fromEntries(headers) }
}

describe('spreadsheets', () => {
  it('IMPORTDATA and Power Query get the same rows as CSV', async () => {
    const runs = await runsOf('spreadsheet')
    expect(runs.length).toBeGreaterThan(50)
    const wrong: string[] = []
    for (const { operation, code } of runs) {
      const formula = /=IMPORTDATA\("((?:[^"]|"")*)"\)/.exec(code)?.[1]?.replaceAll('""', '"') ?? ''
      const { url, headers } = powerQuery(code)
      const ask = (address: string, sent: Record<string, string> = {}): Promise<Response> => untilAllowed(() => fetch(address, { headers: sent }))
      const sheet = await ask(formula.replace('apikey=KEY', `apikey=${key}`))
      const excel = await ask(url, Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', key)])))
      const type = sheet.headers.get('content-type') ?? ''
      const [one, two] = [await sheet.text(), await excel.text()]
      const statuses = wanted(operation)
      if (
        !statuses.includes(sheet.status) ||
        excel.status !== sheet.status ||
        (sheet.ok && (!type.startsWith('text/csv') || firstLine(one) !== firstLine(two)))
      )
        wrong.push(`${operation.id}: ${sheet.status} ${type} and ${excel.status}: ${one.slice(0, 120)} | ${two.slice(0, 120)}`)
    }
    expect(wrong).toEqual([])
  })
})
const firstLine = (text: string): string => text.split('\n')[0] ?? ''

it('the table of expected errors names operations, with reasons', () => {
  const known = new Set<string>(operations.map(each => each.id))
  expect([...expected.keys()].filter(id => !known.has(id))).toEqual([])
  expect(expectedFile.filter(({ why }) => why.length < 20)).toEqual([])
})
