// Every page of the register in Chromium in an empty installation, with failing operations, and by keyboard.
// Skips where no Chromium is installed. browser-universe.test.ts looks at the same pages over the bundled universe.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, type Look, openChromium, visit } from '#fixtures/browser.ts'
import { checkKeyboard, checkPage, pictureName } from '#fixtures/page-checks.ts'
import { NotFound, Upstream } from '#schemas/errors.ts'
import { buildApp } from '../app.ts'
import { fakeSessions, fakes } from '../fakes.ts'
import { isShown, pages } from './register.ts'

const shown = pages.filter(isShown)

/** The session that opens a page: of a user, or of an administrator. */
const sessionOf = (access: string): Look => (access === 'admin' ? { admin: fakeSessions.admin } : { session: fakeSessions.user })

/** A service whose operations all do the same; without `answer`, they return their examples. */
async function serve(answer?: () => never): Promise<FastifyInstance> {
  const given = fakes()
  const handlers = answer ? Object.fromEntries(Object.keys(given.handlers).map(id => [id, answer])) : given.handlers
  const app = await buildApp({ ...given, formTokens: async () => 'token', handlers: handlers as typeof given.handlers })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}
const addressOf = (app: FastifyInstance): string => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

describe.skipIf(chromiumPath === null)('pages in Chromium', () => {
  let browser: Browser
  let full: FastifyInstance
  let empty: FastifyInstance
  let failing: FastifyInstance
  beforeAll(async () => {
    browser = await openChromium()
    full = await serve()
    empty = await serve(() => {
      throw new NotFound('nothing is loaded yet')
    })
    failing = await serve(() => {
      throw new Upstream('the database is away', { retryAfterSeconds: 2 })
    })
  })
  afterAll(async () => {
    await browser?.close()
    for (const app of [full, empty, failing]) await app?.close()
  })

  for (const { path, sample, access } of shown) {
    it(`${path}: empty`, async () => {
      await checkPage(browser, addressOf(empty) + sample, sessionOf(access), pictureName(path, 'empty'))
    })
    it(`${path}: error`, async () => {
      await checkPage(browser, addressOf(failing) + sample, sessionOf(access), pictureName(path, 'error'))
    })
    it(`${path}: by keyboard`, async () => {
      await checkKeyboard(browser, addressOf(full) + sample, sessionOf(access))
    })
  }

  it('an error is a page', async () => {
    await checkPage(browser, `${addressOf(full)}/nothing`, {}, 'error-404')
  })
  it('the search field suggests listings while a person types, by keyboard too', async () => {
    const { page, close, problems } = await visit(browser, `${addressOf(full)}/search`)
    await page.keyboard.press('/')
    await page.keyboard.type('gr')
    const first = page.getByRole('option').first()
    await first.waitFor()
    const symbol = (await first.locator('b').innerText()).trim()
    await page.keyboard.press('ArrowDown')
    expect(await first.getAttribute('aria-selected')).toBe('true')
    // The company page may lead on to the listing's canonical symbol, so the request counts and not the last address.
    const requested = page.waitForRequest(request => decodeURIComponent(request.url()).endsWith(`/c/${symbol}`))
    await page.keyboard.press('Enter')
    await requested
    await page.waitForURL(/\/c\//)
    expect(problems).toEqual([])
    await close()
  })
})
