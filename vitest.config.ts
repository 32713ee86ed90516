import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{schemas,warehouse,pipelines,api,fixtures,bench,clients}/**/*.test.ts'],
    globalSetup: ['fixtures/global-setup.ts'],
    setupFiles: ['fixtures/setup.ts'],
    pool: 'forks',
    // Vitest leaves a processor free for the one who works beside it; most of these files wait for Postgres as long as they reckon.
    maxWorkers: '100%',
    // Guards against a hang, not a measure of speed: a busy machine takes many times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default'],
  },
})
