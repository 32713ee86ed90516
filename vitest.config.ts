import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{schemas,warehouse,pipelines,api,fixtures,bench}/**/*.test.ts'],
    globalSetup: ['fixtures/global-setup.ts'],
    setupFiles: ['fixtures/setup.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
})
