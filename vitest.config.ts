import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
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

export default defineConfig({
  test: {
    include: ['{schemas,warehouse,pipelines,api,fixtures,bench,clients}/**/*.test.ts'],
    globalSetup: ['fixtures/global-setup.ts'],
    setupFiles: ['fixtures/setup.ts'],
    pool: 'forks',
    // By default Vitest leaves one processor free; most of these files wait for Postgres as long as they calculate.
    maxWorkers: '100%',
    // Guards against a hang, not a measure of speed: a busy machine takes many times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default'],
  },
})
