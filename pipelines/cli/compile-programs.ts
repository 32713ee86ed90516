// Writes the compiled programs (compiled.mjs): `node compile-programs.ts ROOT`. Folder and record appear complete, so that a start
// meanwhile finds the ones of before or these.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { type Plugin, rolldown } from 'rolldown'
import { isAlive } from '#warehouse/store/embedded-postgres/identity.ts'
import { compiledFolder, compiledName, packageProgram, programs, recordFile, sizesIn, stateOf, universeFolder } from './compiled.mjs'

/** These load files of their folder by names that they make at run time, or are machine code. */
const loadedFromPackages = [/^@duckdb\/node-bindings/, /^@embedded-postgres\//, /^pino$/, /^thread-stream$/, /^unpdf(\/|$)/, /^pg-native$/]
/** Folders of compiled programs that stay besides those of running processes, which load parts of them later: the newest ones. */
const kept = 3
/** Files next to the sources that decide what the compiled programs hold. */
const settings = [
  'package.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
  'pipelines/cli/compile-programs.ts',
  'pipelines/cli/compiled.mjs',
]

const isHttp = (id: string): boolean => id === 'http' || id === 'node:http'

const folderVariable = '__compiledFolder'
const urlVariable = '__sourceUrl'
const folderOfSource = '__sourceFolder'
const fileOfSource = '__sourceFile'
const mainVariable = '__isProgram'

const asPath = (path: string): string => path.split(sep).join('/')

/** What the compiled programs were made from: paths relative to the root, each as it was before it was read. */
type Sources = Map<string, ReturnType<typeof stateOf>>

/** Gives each module its address in the repository, which it reads files by, as before it was compiled. */
function keepAddresses(root: string, program: string, found: Sources): Plugin {
  const pathOf = (id: string): string | null => {
    const path = asPath(relative(root, id))
    return id.startsWith('\0') || path.startsWith('..') ? null : path
  }
  return {
    name: 'addresses of the sources',
    load(id) {
      const path = pathOf(id)
      if (path !== null && !path.startsWith('node_modules/') && !found.has(path)) found.set(path, stateOf(id))
      return null
    },
    transform(code, id) {
      const path = pathOf(id)
      if (path === null || !code.includes('import.meta')) return null
      // From ROOT/node_modules/.cache/programs/FOLDER.
      const address = JSON.stringify(encodeURI(`../../../../${path}`))
      const lines = [
        `const ${urlVariable} = new URL(${address}, ${folderVariable}).href`,
        `const ${fileOfSource} = process.getBuiltinModule('node:url').fileURLToPath(${urlVariable})`,
        `const ${folderOfSource} = process.getBuiltinModule('node:path').dirname(${fileOfSource})`,
        `const ${mainVariable} = ${path === program}`,
      ]
      return { code: `${lines.join('; ')}; ${code}` }
    },
  }
}

/**
 * node:http for modules that import it: as a module, Node reads each of its exports, and those of WebSocket load Node's whole client for
 * requests, 0.1 s of processor time in each program. Here an export that no module names is not read.
 */
function readNamedOnly(): Plugin {
  const id = '\0node:http'
  return {
    name: 'exports of node:http',
    resolveId: {
      filter: { id: /^(node:)?http$/ },
      handler: (source, _importer, { kind }) => (kind === 'import-statement' ? id : { id: source, external: true }),
    },
    load: {
      filter: { id: /^\0node:http$/ },
      handler: () => {
        const names = Object.keys(http).map(name => `export const ${name} = /* @__PURE__ */ (() => http.${name})()`)
        return [`const http = process.getBuiltinModule('node:http')`, 'export default http', ...names].join('\n')
      },
    },
  }
}

const wide = /[\u0100-\uffff]/g
const escapeOf = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
/** A template whose escapes stay as they are written, with expressions that hold no other template or object. */
const rawTemplate = /String\.raw`(?:[^`\\]|\\[\s\S])*`/g
const expressions = /(\$\{[^{}`]*\})/

/** A raw template whose letters are expressions; null for one that this cannot take apart. */
function withoutWide(template: string): string | null {
  const parts = template.split(expressions)
  if (parts.some((part, at) => at % 2 === 0 && (part.includes('${') || /\\[\u0100-\uffff]/.test(part)))) return null
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replace(wide, letter => `\${'${escapeOf(letter)}'}`))).join('')
}

/**
 * Code with escapes in place of letters above U+00FF: V8 keeps two bytes for every letter of a file that has one of them, 8 MB more in the
 * worker. In strings, regular expressions and templates an escape is the letter.
 */
export function withPlainLetters(code: string): string {
  let hasOther = false
  const plain = code.replace(rawTemplate, template => {
    const found = withoutWide(template)
    hasOther ||= found === null
    return found ?? template
  })
  if (hasOther) return code
  // A letter with a backslash before it that needs none would become another.
  return plain.replace(/(\\*)([\u0100-\uffff])/g, (found, before: string, letter: string) =>
    before.length % 2 === 1 ? found : `${before}${escapeOf(letter)}`,
  )
}

/** Compiles one program into `folder`: what it loads at its start into one file, and what it loads later next to it. Adds its sources to `found`. */
async function compileProgram(program: string, folder: string, root: string, found: Sources): Promise<void> {
  const name = compiledName(program)
  const bundle = await rolldown({
    cwd: root,
    input: { [name]: join(root, program) },
    platform: 'node',
    external: id => (isBuiltin(id) && !isHttp(id)) || loadedFromPackages.some(each => each.test(id)),
    onLog: () => undefined,
    // Programs export nothing.
    preserveEntrySignatures: false,
    transform: {
      target: 'esnext',
      define: {
        'import.meta.url': urlVariable,
        'import.meta.filename': fileOfSource,
        'import.meta.dirname': folderOfSource,
        'import.meta.main': mainVariable,
      },
    },
    plugins: [readNamedOnly(), keepAddresses(root, program, found)],
  })
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      entryFileNames: '[name]',
      chunkFileNames: `${name.replace(/js$/, '')}[name].[hash].js`,
      // Smaller, and mostly without letters that make V8 keep two bytes for each.
      comments: false,
      // Errors are named by their classes.
      keepNames: true,
      // Addresses are relative to the file that a module is in.
      banner: `const ${folderVariable} = import.meta.url;`,
    })
    for (const file of output) writeFileSync(join(folder, file.fileName), file.type === 'chunk' ? withPlainLetters(file.code) : file.source)
  } finally {
    await bundle.close()
  }
}

/** Compiles into `folder`, and gives the sources. */
async function compileInto(folder: string, root: string, wanted: readonly string[]): Promise<Sources> {
  const found: Sources = new Map(settings.map(path => [path, stateOf(join(root, path))]))
  // One after the other: together they are no faster, and take twice the memory (2 GB).
  for (const program of wanted) await compileProgram(program, folder, root, found)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  if (wanted.includes(packageProgram))
    await promisify(execFile)(process.execPath, [join(folder, compiledName(packageProgram)), join(folder, universeFolder)])
  return found
}

const draftName = /^draft-(\d+)$/

/** The command lines of all processes; empty on systems without /proc. */
function commandLines(): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap(name => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : []
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

/** Deletes the folders of earlier sources, but for `current`, the newest and those that a process runs from, and what killed compilers left. */
function removeOld(folder: string, current: string): void {
  const names = readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
  const remove = (name: string): void => rmSync(join(folder, name), { recursive: true, force: true })
  for (const name of names) {
    const compiler = draftName.exec(name)?.[1]
    if (compiler !== undefined && !isAlive(Number(compiler))) remove(name)
  }
  // The current one can be of an earlier time, if its sources came back.
  const finished = names.filter(name => !draftName.test(name) && name !== current)
  const byAge = finished
    .map(name => ({ name, changed: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.changed - a.changed)
  const old = byAge.slice(kept - 1)
  if (old.length === 0) return
  const running = commandLines()
  for (const { name } of old) if (!running.some(line => line.includes(`${join(folder, name)}${sep}`))) remove(name)
}

/** Makes a folder unless it is there. The recursive `mkdirSync` reports a read-only file system as a missing folder. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Not compiled, but loaded or read by the compiled programs. */
const packages = ['package.json', 'node_modules/.package-lock.json']

/**
 * The name of compiled programs, by their bytes and those of `packages`: the same on each machine with the same sources, whenever they were
 * installed there. ETags contain it (api/answer-tags.ts).
 */
function nameOf(draft: string, root: string): string {
  const digest = createHash('sha256')
  const files = Object.keys(sizesIn(draft)).map(path => ({ path, file: join(draft, path) }))
  const installed = packages.map(path => ({ path, file: join(root, path) })).filter(({ file }) => existsSync(file))
  for (const { path, file } of [...files, ...installed]) digest.update(`${path} ${createHash('sha256').update(readFileSync(file)).digest('hex')}\n`)
  return digest.digest('hex').slice(0, 16)
}

/** Puts the complete draft into its place; what is there stays if it is the same, because a start may be loading it. */
function publish(draft: string, folder: string): void {
  if (existsSync(folder) && JSON.stringify(sizesIn(folder)) === JSON.stringify(sizesIn(draft))) {
    rmSync(draft, { recursive: true })
    return
  }
  rmSync(folder, { recursive: true, force: true })
  renameSync(draft, folder)
}

/**
 * Compiles programs of `root`, paths relative to it, into a new folder of `compiledFolder(root)`, and records it. Rejects if a source cannot be
 * compiled or changes meanwhile, or a file cannot be written; what was there stays.
 */
export async function compilePrograms(root: string, wanted: readonly string[]): Promise<void> {
  const folder = compiledFolder(root)
  for (const each of [dirname(folder), folder]) makeFolder(each)
  const draft = join(folder, `draft-${process.pid}`)
  const record = `${draft}.json`
  rmSync(draft, { recursive: true, force: true })
  // Readable by other users, as the packages are.
  mkdirSync(draft)
  try {
    const found = await compileInto(draft, root, wanted)
    const changed = [...found].find(([path, state]) => String(stateOf(join(root, path))) !== String(state))
    if (changed) throw new Error(`${changed[0]} changed while it was compiled`)
    const sources = Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
    const name = nameOf(draft, root)
    publish(draft, join(folder, name))
    writeFileSync(record, `${JSON.stringify({ folder: name, files: sizesIn(join(folder, name)), sources })}\n`)
    renameSync(record, recordFile(root))
    removeOld(folder, name)
  } catch (error) {
    for (const path of [draft, record]) rmSync(path, { recursive: true, force: true })
    throw error
  }
}

/** The reason in one line, with what to do: bundler and programs report in many lines. */
export function reasonOf(error: unknown, root: string): string {
  const { message, stderr } = error as Partial<Record<'message' | 'stderr', string>>
  const lines = stripVTControlCharacters(stderr || message || String(error)).split('\n')
  const line = lines.find(each => /^(\[[A-Z_]+\]|\w*Error\b.*:)/.test(each)) ?? (lines[0] as string)
  const place = /─\[ (.+) \]/.exec(lines.join('\n'))?.[1]
  if (/\b(ENOSPC|EDQUOT)\b/.test(line)) return `the disk of ${compiledFolder(root)} is full: free space there`
  if (/\b(EACCES|EPERM|EROFS)\b/.test(line)) return `${line}: run crossfile --version as the user who installed the packages`
  return place === undefined || line.includes(place) ? line : `${line} (${place})`
}

if (import.meta.main) {
  const [root] = process.argv.slice(2)
  if (root === undefined) throw new Error('usage: compile-programs.ts ROOT')
  try {
    await compilePrograms(root, programs)
  } catch (error) {
    process.stderr.write(`${reasonOf(error, root)}\n`)
    process.exitCode = 1
  }
}
