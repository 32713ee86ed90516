import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { packagedNode } from './pipelines/cli/packaged-node.mjs'

// Tests start programs with the Node that runs them. A packaged Node that cannot run here is no reason to stop.
const packaged = packagedNode(import.meta.dirname)
const isVitest = /[\\/]vitest(?:[\\/.]|$)/.test(process.argv[1] ?? '') // other tools read this file too
const isPackaged = packaged === undefined || realpathSync(process.execPath) === realpathSync(packaged)
if (isVitest && !isPackaged && spawnSync(packaged, ['--version']).status === 0) {
  process.stderr.write(`the tests need the packaged Node, and this is Node ${process.version}: run npm test -- FILE in place of npx vitest\n`)
  process.exit(1)
}

const folders = ['schemas', 'warehouse', 'pipelines', 'api', 'fixtures', 'bench', 'clients']
const everyTest = `{${folders.join(',')}}/**/*.test.ts`
/** Test files that change what their process shares with others: its modules, its environment, its folder. */
const needProcess = folders
  .flatMap(folder => readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)))
  .filter(path => path.endsWith('.test.ts') && !path.includes('node_modules'))
  .filter(path =>
    /\bvi\.(?:mock|doMock|hoisted|stubEnv|stubGlobal|spyOn|useFakeTimers|resetModules)\b|\bnode:inspector\b|\bprocess\.(?:env\[|chdir)/.test(
      readFileSync(join(import.meta.dirname, path), 'utf8'),
    ),
  )

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'alone', include: needProcess } },
      // The others share a process and the modules that it has loaded: loading them was a third of the time of all tests.
      { extends: true, test: { name: 'shared', include: [everyTest], exclude: ['**/node_modules/**', ...needProcess], isolate: false } },
    ],
    globalSetup: ['fixtures/global-setup.ts'],
    setupFiles: ['fixtures/setup.ts'],
    pool: 'forks',
    // By default Vitest leaves one processor free; most of these files wait for Postgres as long as they calculate.
    maxWorkers: '100%',
    // Guards against a hang, not a measure of speed: a busy machine takes many times as long as a quiet one.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 120_000 } },
    reporters: ['default'],
  },
})
