// The examples of the description are true: the example request of each operation, asked of the bundled universe, gives the answer in
// schemas/operations/examples.json. What no two installations share (instants of commits, keys, receipts) is replaced by a fixed value,
// and the longest lists are cut. After a change of an answer, `vitest run api/examples.test.ts -u` writes the file again.
import { expect, it } from 'vitest'
import { drillRelease } from '#fixtures/pdf/drill-release.ts'
import { worldService } from '#fixtures/service.ts'
import { exampleAnswers } from '#schemas/operations/examples.ts'
import { isOfUsers, operations } from '#schemas/operations.ts'
import { openIncident } from '#warehouse/people/status/incidents.ts'
import { exampleForm } from './fakes.ts'

const { key, server, warehouse } = await worldService()

const instant = '2026-11-20T21:04:11Z'
const receiptId = `r1_${'kq3m7x2a'.repeat(6)}wz4a`
const fileHash = 'b'.repeat(64)
const logOrigin = 'crossfile.example/receipts/2026'
const checkpoint = `${logOrigin}\n42\n${'A'.repeat(43)}=\n\n\u2014 ${logOrigin} ${'A'.repeat(90)}==\n`
const proof = `c2sp.org/tlog-proof@v1\nindex 41\n${'A'.repeat(43)}=\n\n${checkpoint}`
const jws = `eyJhbGciOiJFZDI1NTE5In0.eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ.${'A'.repeat(86)}`
/** Of operations that answer with text of one installation, or with bytes. */
const textExamples: Readonly<Record<string, string | null>> = {
  get_bulk_file: null,
  get_receipt_log_tile: null,
  get_receipt_checkpoint: checkpoint,
  get_receipt_log_checkpoint: checkpoint,
  get_receipt_proof: proof,
  get_receipt_jws: jws,
}
const lagOf = (quotedAt: unknown): number => (Date.parse(instant) - Date.parse(String(quotedAt))) / 1000
type Row = Readonly<Record<string, unknown>>
/** By name of the member: its replacement. */
const replaced: Readonly<Record<string, (row: Row) => unknown>> = {
  as_of: () => instant,
  window_to: () => instant,
  window_from: row => new Date(Date.parse(instant) - Number(row['days']) * 86_400_000).toISOString().replace('.000Z', 'Z'),
  receipt_id: () => receiptId,
  uptime_seconds: () => 86_412,
  latency_ms: () => 1,
  data_lag_seconds: row => lagOf(row['quoted_at']),
  remaining: row => row['burst'],
  last4: () => 'x9Za',
  created_at: () => '2026-11-01T09:00:00Z',
  checked_at: () => instant,
  committed_at: () => instant,
  hour: () => '2026-11-20T21:00:00Z',
  uptime_pct: () => 100,
  digest: () => ({ sha256: 'a'.repeat(64) }),
  payload_sha256: () => 'a'.repeat(64),
  // An instant has no zeros at its end, so the length of a body that prints one is not fixed.
  payload: row => ({ ...(row['payload'] as object), bytes: 12_253 }),
  statement_base64: () => 'eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ==',
  signature: () => `${'A'.repeat(86)}==`,
  key_id: () => 'Q2xpZW50cyBrZWVwIHRoZWlyIG93biBjb3BpZXM_example'.slice(0, 43),
  kid: () => 'Q2xpZW50cyBrZWVwIHRoZWlyIG93biBjb3BpZXM_example'.slice(0, 43),
  x: () => 'A'.repeat(43),
  log: row => (typeof row['log'] === 'string' ? proof : { origin: logOrigin, index: 41, size: 42 }),
  proof: () => proof,
  // Of a verification; its hash depends on when the releases were committed.
  manifest: ({ manifest }) => ({ ...(manifest as object), sha256: 'c'.repeat(64), bytes: 2048, log_index: 12 }),
}
/** Of a bundle, whose answer and signature are those of one installation. */
const bundled: Readonly<Record<string, string>> = {
  payload: 'eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ==',
  keyid: 'Q2xpZW50cyBrZWVwIHRoZWlyIG93biBjb3BpZXM_example'.slice(0, 43),
  sig: `${'A'.repeat(86)}==`,
  sha256: 'a'.repeat(64),
}
/** Lists of these operations are cut to their first two entries. */
const cut = new Set([
  'list_plans',
  'get_catalog',
  'get_fundamentals',
  'get_filing_diff',
  'get_filing_sections',
  'list_screener_fields',
  'get_sharia_screen_all',
  'get_sharia_screen',
  'list_macro_countries',
  'get_macro_country',
  'get_chart',
  'list_ipo_calendar',
  'get_status',
  'parse_document',
])

function steady(value: unknown, operation: string): unknown {
  if (Array.isArray(value)) return (cut.has(operation) ? value.slice(0, 2) : value).map(each => steady(each, operation))
  if (value === null || typeof value !== 'object') return value
  const row = value as Row
  return Object.fromEntries(
    Object.entries(row).map(([name, member]) => {
      const fixed =
        member === null ||
        (name === 'payload' && typeof member === 'string') ||
        (name === 'signature' && typeof member !== 'string') ||
        // A coordinate of a place on a page, not of a public key.
        (name === 'x' && typeof member === 'number')
          ? undefined
          : replaced[name]
      if (fixed) return [name, fixed(row)]
      if (operation === 'get_receipt_bundle' && name in bundled && typeof member === 'string') return [name, bundled[name]]
      if (name === 'id' && operation === 'get_data_health') return [name, 'k_7Qm2']
      if (name === 'id' && operation === 'list_incidents') return [name, 'inc_4f0c2a9e81b7d365']
      if (operation === 'list_status_history' && (name === 'from' || name === 'to')) return [name, instant]
      const inFile = operation.startsWith('list_bulk_') && ['file', 'sha256', 'url'].includes(name) && typeof member === 'string'
      return [name, inFile ? member.replace(/[0-9a-f]{64}/, fileHash) : steady(member, operation)]
    }),
  )
}
/** A description is shown by its beginning. */
const begin = (text: string): string => /^.*(?:>|\n|\{.*\}|'|pong)/.exec(text.slice(0, 60))?.[0] ?? text.slice(0, 40)

/** JSON as this house's formatter lays it out: objects on lines of their own, plain lists on one where they fit. */
function printed(value: unknown, indent: string, taken: number): string {
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    const flat = `[${value.map(each => JSON.stringify(each)).join(', ')}]`
    const plain = value.every(each => each === null || typeof each !== 'object')
    if (value.length === 0 || (plain && indent.length + taken + flat.length + 1 <= 150)) return flat
    return `[\n${value.map(each => deeper + printed(each, deeper, 0)).join(',\n')}\n${indent}]`
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value)
  if (members.length === 0) return '{}'
  return `{\n${members.map(([name, member]) => `${deeper}${JSON.stringify(name)}: ${printed(member, deeper, JSON.stringify(name).length + 2)}`).join(',\n')}\n${indent}}`
}

it('each example of the description is the true answer of the bundled universe', async () => {
  const ask = (path: string, body?: unknown): Promise<Response> =>
    fetch(server.address + path, {
      headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  const form = exampleForm({ authorization: `Bearer ${key}` }, drillRelease().bytes)
  const sendForm = (path: string): Promise<Response> =>
    fetch(server.address + path, { method: 'POST', headers: form.headers, body: new Uint8Array(form.payload) })
  const signed = (await (await ask('/api/v1/data/form4?ticker=BRLX')).json()) as { receipt_id: string }
  type Checked = { components: { name: string; status: string }[] }
  for (let api = ''; api !== 'operational'; await new Promise(resolve => setTimeout(resolve, 100))) {
    const { components } = (await (await ask('/api/v1/status')).json()) as Checked
    api = components.find(each => each.name === 'api')?.status ?? ''
  }
  const incident = { title: 'Quotes are late', impact: 'minor', body: 'The source answers slowly.', component: null, started_at: instant } as const
  await openIncident(warehouse.runtime.postgres.db, incident)
  const { files } = (await (await ask('/api/v1/data/bulk?dataset=bars')).json()) as { files: { sha256: string }[] }
  // The worker gives a receipt its place in the log within seconds.
  let proven = await ask(`/api/v1/data/receipts/proof/${signed.receipt_id}`)
  for (; proven.status === 404; proven = await ask(`/api/v1/data/receipts/proof/${signed.receipt_id}`))
    await new Promise(resolve => setTimeout(resolve, 100))
  const year = /\/receipts\/(\d{4})\n/.exec(await proven.text())?.[1] ?? ''
  const examples: Record<string, unknown> = {}
  for (const operation of operations) {
    // What belongs to a user is not the bundled universe's: its examples are covered by separate tests.
    if (isOfUsers(operation) || operation.tag === 'Agents') {
      if (Object.hasOwn(exampleAnswers, operation.id)) examples[operation.id] = exampleAnswers[operation.id]
      continue
    }
    const { request, body: posted } = operation.example
    const address = request
      .replaceAll(receiptId, signed.receipt_id)
      .replace('/receipts/2026/', `/receipts/${year}/`)
      .replace(fileHash, files[0]?.sha256 ?? '')
    const body = posted === undefined ? undefined : JSON.parse(JSON.stringify(posted).replaceAll(receiptId, signed.receipt_id))
    const isForm = operation.body_media.includes('multipart/form-data')
    let response = isForm ? await sendForm(address) : await ask(address, body)
    // On a busy machine the worker builds a model later than a client is kept waiting: the answer has Retry-After.
    for (; response.status === 503 && response.headers.has('retry-after'); response = await ask(address, body))
      await new Promise(resolve => setTimeout(resolve, 1000))
    expect([request, response.status]).toEqual([request, 200])
    const fixed = textExamples[operation.id]
    const text = fixed === null ? '' : await response.text()
    const described = operation.id.includes('openapi') && operation.answer !== null
    const answer: unknown = fixed !== undefined ? fixed : operation.answer === null ? begin(text) : JSON.parse(text)
    const { openapi, info } = (described ? answer : {}) as { openapi?: unknown; info?: { title: string; version: string } }
    examples[operation.id] = described ? { openapi, info: { title: info?.title, version: info?.version } } : steady(answer, operation.id)
  }
  await expect(`${printed(examples, '', 0)}\n`).toMatchFileSnapshot('../schemas/operations/examples.json')
})
