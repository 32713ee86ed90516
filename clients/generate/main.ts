// Builds the client packages: npm run clients [-- --out FOLDER]. FOLDER (default clients/dist) then holds `typescript`, ready for `npm pack`, and
// `python`, ready for `python -m build`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeClients } from './describe.ts'
import { renderPythonOperations, renderPythonTypes } from './python.ts'
import { renderTypescript } from './typescript.ts'

const clients = join(import.meta.dirname, '..')
const root = join(clients, '..')

/** The generated files by their path within the built folder. */
function generatedFiles(): Readonly<Record<string, string>> {
  const description = describeClients()
  const receipts = readFileSync(join(root, 'api', 'pages', 'browser', 'verify-bundle.ts'), 'utf8')
  return {
    'typescript/src/operations.ts': renderTypescript(description),
    'typescript/src/receipts.ts': receipts,
    'python/crossfile/types.py': renderPythonTypes(description),
    'python/crossfile/operations.py': renderPythonOperations(description),
  }
}

/** Writes both packages into `out`, which is replaced. Throws if the TypeScript compiler finds an error. */
export function buildClients(out: string): void {
  rmSync(out, { recursive: true, force: true })
  for (const language of ['typescript', 'python', 'openbb']) {
    cpSync(join(clients, language), join(out, language), { recursive: true, filter: path => !/__pycache__|node_modules/.test(path) })
    cpSync(join(root, 'LICENSE'), join(out, language, 'LICENSE'))
  }
  for (const [path, text] of Object.entries(generatedFiles())) {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    writeFileSync(join(out, path), text)
  }
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', join(out, 'typescript', 'tsconfig.json')], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the TypeScript client does not compile:\n${stdout}`)
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: join(clients, 'dist') } } })
  const out = resolve(values.out)
  buildClients(out)
  console.log(`${join(out, 'typescript')}: npm pack makes the package`)
  console.log(`${join(out, 'python')} and ${join(out, 'openbb')}: python -m build makes the package`)
}
