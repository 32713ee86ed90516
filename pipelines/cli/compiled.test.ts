// Compiled programs in small repositories: they print what their sources print, and are used only while they are current.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { testFolders } from '#fixtures/test-folder.ts'
import { compilePrograms, reasonOf, withPlainLetters } from './compile-programs.ts'
import { compiledFolder, compiledName, compiledSibling, currentFolder, ensureCompiled, programs, recordFile } from './compiled.mjs'

const folderOf = testFolders('compiled')
const root = join(import.meta.dirname, '..', '..')

const sources: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module","imports":{"#tools/*":"./tools/*"}}',
  'tsconfig.json': '{"compilerOptions":{"target":"esnext"}}',
  'node_modules/.package-lock.json': '{}',
  'app/first.ts': `
    import { readFileSync } from 'node:fs'
    import { createServer, type Server } from 'node:http'
    import { fileURLToPath } from 'node:url'
    import { Refused, tell } from '#tools/tell.ts'
    type Lines = readonly string[]
    const lines: Lines = [fileURLToPath(import.meta.url), import.meta.filename, import.meta.dirname, String(import.meta.main)]
    const server: Server = createServer()
    const { later } = await import('./later.ts')
    const caught = (() => { try { throw new Refused('no') } catch (error) { return String(error) } })()
    const letters = ['“–”', \`…\${'😀'}\`, 'a–b—c'.replace(/[–—]/g, '-'), /^[😀]$/u.test('😀'), '\\\\’', String.raw\`\\\\n\`]
    const text = readFileSync(new URL('./text.txt', import.meta.url), 'utf8')
    console.log(JSON.stringify({ lines, tell: tell(), later: later(), caught, letters, text, server: typeof server.listen, written: \`import.meta.url \${'import.meta.main'}\` }))
  `,
  'app/later.ts': `
    import { Refused } from '#tools/tell.ts'
    export const later = () => [import.meta.dirname, import.meta.main, new Refused('late') instanceof Refused, Refused.name]
    if (import.meta.main) console.log('a part that is not the program ran as one')
  `,
  'app/second.ts': `
    import { tell } from '#tools/tell.ts'
    console.log(JSON.stringify([tell(), import.meta.main, process.argv.slice(2)]))
  `,
  'app/text.txt': 'the text next to the source',
  'tools/tell.ts': `
    export class Refused extends Error { constructor(message: string) { super(message); this.name = new.target.name } }
    export const tell = (): readonly unknown[] => [import.meta.filename, import.meta.main]
    if (import.meta.main) console.log('a module that is not the program ran as one')
  `,
}
const wanted = ['app/first.ts', 'app/second.ts']
const minutes = (count: number): number => Date.now() / 1000 - count * 60

function write(folder: string, path: string, text: string, changed = minutes(10)): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
  utimesSync(join(folder, path), changed, changed)
}

/** A repository of two programs, with packages in its folder. */
function aRepository(): string {
  const folder = folderOf()
  for (const [path, text] of Object.entries(sources)) write(folder, path, text)
  return folder
}

function run(file: string, ...argv: readonly string[]): unknown {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...argv], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout)
}

async function compiled(folder: string): Promise<string> {
  await compilePrograms(folder, wanted)
  const found = currentFolder(folder)
  if (found === null) throw new Error('not current after it was compiled')
  return found
}

describe('a compiled program', () => {
  test('prints what its source prints: addresses, files next to sources, parts that are loaded later, names of errors', async () => {
    const folder = aRepository()
    const found = await compiled(folder)
    for (const program of wanted) {
      const fromSource = run(join(folder, program), 'one', 'two')
      expect(fromSource).toMatchObject(
        program === 'app/first.ts' ? { caught: 'Refused: no', server: 'function' } : [expect.anything(), true, ['one', 'two']],
      )
      expect(run(join(found, compiledName(program)), 'one', 'two')).toEqual(fromSource)
    }
  })

  test.skipIf(process.platform === 'win32')('runs in a folder whose name has characters of addresses', async () => {
    const folder = join(folderOf(), 'a b#c?d%41é')
    for (const [path, text] of Object.entries(sources)) write(folder, path, text)
    const found = await compiled(folder)
    expect(run(join(found, compiledName('app/first.ts')))).toEqual(run(join(folder, 'app/first.ts')))
  })

  test('runs after its repository was moved', async () => {
    const folder = aRepository()
    await compiled(folder)
    const moved = join(folderOf(), 'moved')
    renameSync(folder, moved)
    const found = currentFolder(moved)
    expect(found).not.toBe(null)
    expect(run(join(found as string, compiledName('app/first.ts')))).toEqual(run(join(moved, 'app/first.ts')))
  })

  test('has no letter that makes V8 keep two bytes for each', async () => {
    const found = await compiled(aRepository())
    for (const file of readdirSync(found)) expect(readFileSync(join(found, file), 'utf8')).not.toMatch(/[\u0100-\uffff]/)
  })

  const templates = ['1', '"–"', '`–`'].map(inner => String.raw`String.raw${'`'}[–${'$'}{${inner}}\s]–${'`'}`)
  test.each(["'–'", String.raw`'\\–'`, String.raw`'\–'`, '`–`', 'String.raw`–\\d`', 'String.raw`\\–`', '/^[–😀]+$/u.test("–😀")', ...templates])(
    'gives %s the same value',
    code => {
      const valueOf = (text: string): unknown => new Function(`return ${text}`)()
      expect(valueOf(withPlainLetters(code))).toBe(valueOf(code))
    },
  )

  test('can be read by other users', async () => {
    const found = await compiled(aRepository())
    expect(statSync(found).mode & 0o055).toBe(0o055 & ~process.umask())
  })
})

describe('compiled programs are not used', () => {
  const changes: Readonly<Record<string, (folder: string) => void>> = {
    'after a module changed': folder => write(folder, 'tools/tell.ts', `${sources['tools/tell.ts']}\n`),
    'after a module got another time of change': folder => write(folder, 'tools/tell.ts', sources['tools/tell.ts'] as string, minutes(5)),
    'after a part that is loaded later changed': folder => write(folder, 'app/later.ts', 'export const later = () => []'),
    'after a module was deleted': folder => rmSync(join(folder, 'tools/tell.ts')),
    'after packages were installed': folder => write(folder, 'node_modules/.package-lock.json', '{"packages":{}}'),
    'after their folder was deleted': folder => rmSync(currentFolder(folder) as string, { recursive: true }),
    'with a record that was cut off': folder => writeFileSync(recordFile(folder), readFileSync(recordFile(folder), 'utf8').slice(0, 40)),
    'after a file of theirs was cut off by a power cut': folder =>
      writeFileSync(join(currentFolder(folder) as string, compiledName('app/first.ts')), ''),
    'after a part of theirs was deleted': folder => rmSync(join(currentFolder(folder) as string, 'package.json')),
    'without a record': folder => rmSync(recordFile(folder)),
  }
  test.each(Object.entries(changes))('%s', async (_, change) => {
    const folder = aRepository()
    await compiled(folder)
    change(folder)
    expect(currentFolder(folder)).toBe(null)
  })

  test('with the packages of another repository, to which their addresses would lead', async () => {
    const folder = aRepository()
    await compiled(folder)
    const other = aRepository()
    rmSync(join(other, 'node_modules'), { recursive: true })
    symlinkSync(join(folder, 'node_modules'), join(other, 'node_modules'))
    expect(currentFolder(other)).toBe(null)
  })
})

describe('compiling', () => {
  test('publishes nothing if a source changes meanwhile, and keeps what was there', async () => {
    const folder = aRepository()
    const before = await compiled(folder)
    const compiling = compilePrograms(folder, wanted)
    write(folder, 'tsconfig.json', '{}', minutes(1))
    await expect(compiling).rejects.toThrow('tsconfig.json changed while it was compiled')
    expect(readdirSync(compiledFolder(folder)).sort()).toEqual([before.slice(compiledFolder(folder).length + 1), 'newest.json'].sort())
  })

  test('of a source with a time in the future, as after a change of the clock', async () => {
    const folder = aRepository()
    write(folder, 'app/later.ts', sources['app/later.ts'] as string, minutes(-60))
    await compiled(folder)
  })

  test('names the source that cannot be compiled in one line, and leaves nothing', async () => {
    const folder = aRepository()
    write(folder, 'tools/tell.ts', 'export const tell = (')
    const error: unknown = await compilePrograms(folder, wanted).catch((reason: unknown) => reason)
    expect(reasonOf(error, folder)).toMatch(/^\[PARSE_ERROR\] \w.* \(tools\/tell\.ts:1:\d+\)$/)
    expect(readdirSync(compiledFolder(folder))).toEqual([])
  })

  test('names the error of a program that it runs, and what to do about the disk and the permissions', () => {
    const failed = (stderr: string): Error => Object.assign(new Error('Command failed: node package.js'), { stderr })
    expect(reasonOf(failed('file:///a.js:1\nfoo()\n^\n\nReferenceError: foo is not defined\n    at a.js:1\n\nNode.js v26.10.0\n'), '/r')).toBe(
      'ReferenceError: foo is not defined',
    )
    const full = `the disk of ${compiledFolder('/r')} is full: free space there`
    expect(reasonOf(new Error('ENOSPC: no space left on device, write'), '/r')).toBe(full)
    expect(reasonOf(failed('node:fs:1\n\nError: ENOSPC: no space left on device, write\n'), '/r')).toBe(full)
    expect(reasonOf(new Error("EACCES: permission denied, mkdir '/r'"), '/r')).toBe(
      "EACCES: permission denied, mkdir '/r': run crossfile --version as the user who installed the packages",
    )
  })

  test('by two starts at the same time leaves the files of the first, which may be loading them', async () => {
    const folder = aRepository()
    const file = join(await compiled(folder), compiledName('app/first.ts'))
    const { ino } = statSync(file)
    await compilePrograms(folder, wanted)
    expect(statSync(file).ino).toBe(ino)
    expect(readdirSync(compiledFolder(folder))).toHaveLength(2)
  })

  test('names the programs by their bytes and packages, whenever and wherever their sources were installed', async () => {
    const nameIn = async (changed: number, changes: Readonly<Record<string, string>> = {}): Promise<string> => {
      const folder = folderOf()
      for (const [path, text] of Object.entries({ ...sources, ...changes })) write(folder, path, text, changed)
      return basename(await compiled(folder))
    }
    const [early, late] = [minutes(9_000), minutes(10)]
    const name = await nameIn(early)
    expect(name).toMatch(/^[0-9a-f]{16}$/)
    expect(await nameIn(late)).toBe(name)
    // Sources of an archive have one time, and a change can keep the size.
    const others = [
      await nameIn(early, { 'app/second.ts': (sources['app/second.ts'] as string).replace('slice(2)', 'slice(3)') }),
      await nameIn(early, { 'node_modules/.package-lock.json': '[]' }),
    ]
    expect(new Set([name, ...others]).size).toBe(3)
  })

  test('replaces what a power cut left', async () => {
    const folder = aRepository()
    const file = join(await compiled(folder), compiledName('app/first.ts'))
    writeFileSync(file, '')
    await compiled(folder)
    expect(statSync(file).size).toBeGreaterThan(0)
  })

  test('keeps the programs of a state of the sources that came back, although three others were made since', async () => {
    const folder = aRepository()
    const make = async (text: string): Promise<string> => {
      write(folder, 'app/second.ts', `console.log('${text}')`)
      return await compiled(folder)
    }
    const first = await make('first')
    const aside = join(folder, 'aside')
    renameSync(first, aside)
    for (const [at, text] of ['second', 'third', 'fourth'].entries()) {
      const found = await make(text)
      utimesSync(found, minutes(5 - at), minutes(5 - at))
    }
    // A running service kept it.
    renameSync(aside, first)
    utimesSync(first, minutes(60), minutes(60))
    expect(await make('first')).toBe(first)
  })

  test('deletes what killed compilers left, and counts none of it as a state of the sources', async () => {
    const folder = aRepository()
    const { pid } = spawnSync(process.execPath, ['--version'])
    mkdirSync(join(compiledFolder(folder), `draft-${pid}`), { recursive: true })
    mkdirSync(join(compiledFolder(folder), `draft-${process.ppid}`))
    await compiled(folder)
    expect(readdirSync(compiledFolder(folder)).filter(name => name.startsWith('draft'))).toEqual([`draft-${process.ppid}`])
  })

  test.runIf(process.platform === 'linux')('keeps the programs that a process runs from', async () => {
    const folder = aRepository()
    write(folder, 'app/second.ts', 'console.log("running"); setInterval(() => undefined, 1000)')
    const first = await compiled(folder)
    const running = spawn(process.execPath, [join(first, compiledName('app/second.ts'))], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(running.stdout, 'data')
      for (let at = 0; at < 4; at += 1) {
        write(folder, 'app/second.ts', `console.log(${'1'.repeat(at + 1)})`)
        await compiled(folder)
        utimesSync(first, minutes(10), minutes(10))
      }
      expect(existsSync(first)).toBe(true)
      expect(readdirSync(compiledFolder(folder))).toHaveLength(5)
    } finally {
      running.kill('SIGKILL')
    }
  })

  test('keeps the programs of three states of the sources, for services that run from them', async () => {
    const folder = aRepository()
    const made: string[] = []
    for (let at = 0; at < 5; at += 1) {
      write(folder, 'app/text.ts', '')
      write(folder, 'app/second.ts', `${sources['app/second.ts']}console.log(${at})`)
      const found = await compiled(folder)
      // The order of folders is that of their times, which may be equal here.
      utimesSync(found, minutes(5 - at), minutes(5 - at))
      made.push(found)
    }
    expect(made.map(existsSync)).toEqual([false, false, true, true, true])
  })

  test('of sources that are current is not repeated; a failure is reported, and the sources run', async () => {
    const folder = aRepository()
    const found = await compiled(folder)
    const said: string[] = []
    write(folder, 'pipelines/cli/compile-programs.ts', `console.error('first'); console.error('the disk is full'); process.exit(1)`)
    expect(await ensureCompiled(folder, process.execPath, line => said.push(line))).toBe(null)
    expect(said.at(-1)).toBe('the programs were not compiled and run from their sources, which load more slowly: the disk is full')
    rmSync(join(folder, 'pipelines'), { recursive: true })
    expect(await ensureCompiled(folder, process.execPath, line => said.push(line))).toBe(found)
    expect(said).toHaveLength(2)
  })

  test('ended by Node is reported with its error', async () => {
    const folder = aRepository()
    const said: string[] = []
    write(folder, 'pipelines/cli/compile-programs.ts', `throw new TypeError('no such thing')`)
    expect(await ensureCompiled(folder, process.execPath, line => said.push(line))).toBe(null)
    expect(said.at(-1)).toMatch(/: TypeError: no such thing$/)
  })

  test.skipIf(process.platform === 'win32')('ends with the process that began it, if that is killed', async () => {
    const folder = aRepository()
    write(
      folder,
      'pipelines/cli/compile-programs.ts',
      `import { writeFileSync } from 'node:fs'; writeFileSync('${folder}/pid', String(process.pid)); setInterval(() => undefined, 1000)`,
    )
    const program = `import { ensureCompiled } from '${pathToFileURL(join(import.meta.dirname, 'compiled.mjs')).href}'; ensureCompiled('${folder}', process.execPath, () => undefined)`
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
    await expect.poll(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8')).toMatch(/^\d+$/)
    starter.kill('SIGKILL')
    const compiler = Number(readFileSync(join(folder, 'pid'), 'utf8'))
    const isAlive = (): boolean => {
      try {
        return process.kill(compiler, 0)
      } catch (error) {
        expect(error).toMatchObject({ code: 'ESRCH' })
        return false
      }
    }
    await expect.poll(isAlive).toBe(false)
  })

  test('without a folder for its lock is reported, and the sources run', async () => {
    const folder = aRepository()
    write(folder, 'pipelines/cli/compile-programs.ts', 'process.exit(1)')
    vi.stubEnv('TMPDIR', join(folder, 'missing'))
    const lines: string[] = []
    expect(await ensureCompiled(folder, process.execPath, line => lines.push(line)).finally(() => vi.unstubAllEnvs())).toBe(null)
    expect(lines).toEqual([expect.stringMatching(/^the programs were not compiled and run from their sources, .*missing/)])
  })

  /** What a start reports whose lock holds the number of a process, if it does not wait. */
  async function startWith(holder: number): Promise<{ readonly lines: readonly string[]; readonly lock: string }> {
    const folder = aRepository()
    write(folder, 'pipelines/cli/compile-programs.ts', `console.error('it was compiled'); process.exit(1)`)
    const locks = folderOf()
    const name = createHash('sha256')
      .update(`${folder} ${process.getuid?.() ?? ''}`)
      .digest('hex')
      .slice(0, 16)
    const lock = join(locks, `crossfile-install-${name}.lock`)
    writeFileSync(lock, String(holder))
    vi.stubEnv('TMPDIR', locks)
    const lines: string[] = []
    expect(await ensureCompiled(folder, process.execPath, line => lines.push(line), 0).finally(() => vi.unstubAllEnvs())).toBe(null)
    return { lines, lock }
  }
  test('does not wait for a lock that another process keeps: it is named, and the sources run', async () => {
    const { lines, lock } = await startWith(process.ppid)
    expect(lines.at(-1)).toContain(`process ${process.ppid} holds ${lock}`)
  })
  test('takes a lock with its own number: in a container, that of a start that was killed', async () => {
    const { lines, lock } = await startWith(process.pid)
    expect(lines.at(-1)).toContain('it was compiled')
    expect(existsSync(lock)).toBe(false)
  })

  test('is not begun where the sources are not complete, as in a step of an image', async () => {
    const folder = aRepository()
    expect(await ensureCompiled(folder, process.execPath, line => expect(line).toBe(''))).toBe(null)
  })
})

describe('the programs of a start', () => {
  test('are files of the repository', () => {
    for (const program of programs) expect(existsSync(join(root, program))).toBe(true)
    expect(new Set(programs.map(compiledName)).size).toBe(programs.length)
  })

  test('run from their sources, if the process that starts them does', () => {
    for (const program of programs) expect(compiledSibling(root, program)).toBe(null)
  })
})
