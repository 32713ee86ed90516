import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{schemas,warehouse,pipelines,api,fixtures,bench}/**/*.test.ts'],
    globalSetup: ['fixtures/global-setup.ts'],
    setupFiles: ['fixtures/setup.ts'],
    pool: 'forks',
    // Vitest leaves a processor free for the one who works beside it; most of these files wait for Postgres as long as they reckon.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
})
