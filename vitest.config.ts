import { defineConfig } from 'vitest/config'

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
