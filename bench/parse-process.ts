// Parses every file that it is told and answers how long that took, reading included.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseOwnership } from '#pipelines/read/insider/parse.ts'

const [folder = ''] = process.argv.slice(2)
process.on('message', ({ names }: { readonly names: readonly string[] }) => {
  const begun = performance.now()
  let bytes = 0
  let rows = 0
  for (const name of names) {
    const body = readFileSync(join(folder, name))
    bytes += body.length
    const parsed = parseOwnership(body.toString('utf8'), { filing_id: name, accession: null, filed_date: null, issuer_cik: null, form: null })
    rows += parsed.transactions.length + parsed.holdings.length
  }
  process.send?.({ ms: performance.now() - begun, bytes, rows })
})
process.send?.({ ready: true })
process.once('SIGTERM', () => process.exit(0))
