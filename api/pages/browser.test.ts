// Every page of the register in Chromium, over the bundled universe, an empty installation, and one whose operations fail: loading, policy,
// weight, width, contrast, keyboard. Skips where no Chromium is installed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations, chromiumPath, layoutShift, openChromium, overflow, screenshot, tabStops, visit } from '#fixtures/browser.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { type TestWarehouse, worldWarehouse } from '#fixtures/warehouse.ts'
import { loadConfig } from '#schemas/config.ts'
import { Upstream } from '#schemas/errors.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { buildApp } from '../app.ts'
import { fakes } from '../fakes.ts'
import { type Server, startServer } from '../server.ts'
import { pages } from './register.ts'

/** Bytes of a page with its chart, compressed. */
const mostBytes = 150 * 1024
/** The "good" range of Cumulative Layout Shift (web.dev). */
const mostShift = 0.1
/** Pages of the register that show HTML; `/answer` returns data. */
const shown = pages.filter(({ path }) => path !== '/answer')
const nameOf = (path: string, state: string): string => `${path === '/' ? 'start' : path.replaceAll(/[^\w]+/g, '-').replace(/^-|-$/g, '')}-${state}`

// The first test file of a run that asks for the universe loads it, which takes minutes on a busy machine.
const warehouse = chromiumPath === null ? null : await worldWarehouse()

describe.skipIf(chromiumPath === null)('pages in Chromium', () => {
  let browser: Browser
  let full: Server
  let empty: Server
  let failing: FastifyInstance
  let session = ''
  const folder = mkdtempSync(join(tmpdir(), 'crossfile-browser-'))
  beforeAll(async () => {
    browser = await openChromium()
    const { config, runtime } = warehouse as TestWarehouse
    full = await startServer(config)
    session = (await signedInUser(runtime.postgres.db)).token
    const url = await createTestDatabase()
    await installQueue(url)
    empty = await startServer(loadConfig({ DATABASE_URL: url, CROSSFILE_DATA: folder, CROSSFILE_LOG: 'silent', PORT: '0' }))
    const given = fakes()
    const away = (): never => {
      throw new Upstream('the database is away', { retryAfterSeconds: 2 })
    }
    failing = await buildApp({
      ...given,
      handlers: Object.fromEntries(Object.keys(given.handlers).map(id => [id, away])) as unknown as typeof given.handlers,
    })
    await failing.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    await browser?.close()
    await failing?.close()
    await empty?.close()
    await full?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const failingAddress = (): string => {
    const address = failing.server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  }

  const states = [
    ['full', () => full.address, {}],
    ['signed-in', () => full.address, { signedIn: true }],
    ['dark', () => full.address, { dark: true }],
    ['narrow', () => full.address, { width: 360, height: 780 }],
    ['4k', () => full.address, { width: 3840, height: 2160 }],
    ['empty', () => empty.address, {}],
    ['error', failingAddress, {}],
    ['without-script', () => full.address, { script: false }],
  ] as const
  for (const { path, sample } of shown)
    it.each(states)(
      `${path}: %s`,
      async (state, addressOf, {
        signedIn = false,
        ...look
      }: { signedIn?: boolean; dark?: boolean; width?: number; height?: number; script?: boolean }) => {
        const seen = await visit(browser, addressOf() + sample, { ...look, ...(signedIn ? { session } : {}) })
        try {
          expect(seen.status).toBeLessThan(500)
          // A page that is itself an error is reported by the console as a failed load.
          expect(seen.problems.filter(text => !(seen.status >= 400 && text.startsWith('Failed to load resource')))).toEqual([])
          expect(seen.foreign).toEqual([])
          expect(await seen.weight()).toBeLessThan(mostBytes)
          expect(await overflow(seen)).toBeLessThanOrEqual(0)
          await screenshot(seen, nameOf(path, state))
          if (look.script === false) return
          expect(await layoutShift(seen)).toBeLessThan(mostShift)
          expect(await axeViolations(seen)).toEqual([])
        } finally {
          await seen.close()
        }
      },
    )

  it('can be walked by keyboard: every stop has a name and a ring, the first leads to the content', async () => {
    for (const { sample } of shown) {
      const seen = await visit(browser, full.address + sample, { session })
      const stops = await tabStops(seen)
      await seen.close()
      expect(stops[0]).toBe('a Skip to the content')
      expect(stops.filter(stop => stop.endsWith('(no focus ring)') || /^\w+ *$/.test(stop))).toEqual([])
      expect(stops.length).toBeGreaterThan(5)
    }
  })

  it('suggest listings while a person types, by keyboard too', async () => {
    const { page, close, problems } = await visit(browser, `${full.address}/search`)
    await page.keyboard.press('/')
    await page.keyboard.type('great lak')
    await page.getByRole('option', { name: /GLPR\.TO/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    const chosen = await page.getByRole('option', { selected: true }).innerText()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/c\//)
    expect(decodeURIComponent(page.url())).toContain(chosen.split('\n')[0])
    expect(problems).toEqual([])
    await close()
  })
})
