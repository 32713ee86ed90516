// Every page of the register in Chromium over the bundled universe, as `npm start` serves it. Skips where no Chromium is installed.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations, chromiumPath, openChromium, overflow, screenshot, visit } from '#fixtures/browser.ts'
import { checkLooks, checkPage, pictureName } from '#fixtures/page-checks.ts'
import { send } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { type TestWarehouse, worldWarehouse } from '#fixtures/warehouse.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { type Server, startServer } from '../server.ts'
import { isShown, pages } from './register.ts'

// The first test file of a run that asks for the universe loads it, which takes minutes on a busy machine.
/** Records of the signed-in user, so that the pages of the account have rows. */
const records: readonly (readonly [path: string, body: object])[] = [
  [
    '/api/v1/portfolio/positions',
    { ticker: 'GLPR.TO', quantity: 1500.5, acb_per_share: 12.25, currency: 'CAD', account_type: 'tfsa', note: 'bought in three parts' },
  ],
  ['/api/v1/portfolio/positions', { ticker: 'NGP', quantity: -30, acb_per_share: 51.2, currency: 'USD', account_type: 'margin' }],
  ['/api/v1/portfolio/positions', { ticker: 'MYFUND', quantity: 100, currency: 'CAD', account_type: 'rrsp' }],
  [
    '/api/v1/alerts',
    { ticker: 'GLPR.TO', condition: 'above', threshold: '150.5', condition2: 'rsi_above', threshold2: '70', logic: 'OR', note: 'after results' },
  ],
  ['/api/v1/alerts', { ticker: 'WATCHLIST', condition: 'px_below_sma200', threshold: '1', scope: 'watchlist' }],
  ['/api/v1/ipo-alerts', { ticker: 'SLTK', event: 'lockup_soon', lead_days: 10 }],
  ['/api/v1/watchlist', { ticker: 'GLPR.TO', tags: ['rail', 'TFSA'], note: 'after the results' }],
  ['/api/v1/watchlist', { ticker: 'NGP' }],
  ['/api/v1/consent/record', { consent_type: 'analytics', consent_action: 'granted' }],
]

const warehouse = chromiumPath === null ? null : await worldWarehouse()

describe.skipIf(chromiumPath === null)('pages over the universe', () => {
  let browser: Browser
  let server: Server
  let session = ''
  let admin = ''
  beforeAll(async () => {
    const { config, runtime } = warehouse as TestWarehouse
    browser = await openChromium()
    server = await startServer(config)
    const { db } = runtime.postgres
    const user = await signedInUser(db)
    session = user.token
    for (const [path, body] of records) expect((await send(server.address + path, { body, headers: user.cookie })).status).toBe(201)
    const operator = await signedInUser(db, { is_admin: true, kind: 'admin' })
    await enrolNow(db, openSealKey(keysFolderOf(config.dataFolder)), operator, new Date())
    admin = operator.token
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })
  for (const { path, sample, access } of pages.filter(isShown)) {
    it.skipIf(access !== 'public')(`${path}: for a visitor`, async () => {
      await checkPage(browser, server.address + sample, {}, pictureName(path, 'visitor'))
    })
    it(`${path}: signed in, at every look`, async () => {
      await checkLooks(browser, server.address + sample, { session, admin }, look => pictureName(path, look))
    })
  }

  it('by keyboard: a value of a filing is shown in its document', async () => {
    const { page, close, problems } = await visit(browser, `${server.address}/f/0009990001-26-000037`, { session })
    await page.locator('a.placed[data-at="insider_holdings:1:shares_after"]').first().focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('.document-text mark.at').innerText()).toBe('240000')
    expect(await page.locator('output[data-place]').innerText()).toContain('240000')
    expect(problems).toEqual([])
    await close()
  })
  it('without script: a value of a filing is shown in its document', async () => {
    const address = `${server.address}/f/0009990001-26-000037?at=insider_holdings:1:shares_after`
    const { page, close } = await visit(browser, address, { session, script: false })
    expect(await page.locator('mark#at').innerText()).toBe('240000')
    await close()
  })
  it('by keyboard: one risk factor has a separate address', async () => {
    const { page, close } = await visit(browser, `${server.address}/c/BRLX/risk-factors`, { session })
    await page.locator('.factors h3 a').first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/factor=rf_/)
    expect(await page.locator('.factors > li').count()).toBe(1)
    await close()
  })
  it('by keyboard: a definition of clusters finds them, with the price since', async () => {
    const { page, close } = await visit(browser, `${server.address}/insiders?people=20`, { session })
    expect(await page.locator('#clusters-title').innerText()).toBe('0 clusters')
    await page.getByLabel('People, at least').fill('2')
    await page.keyboard.press('Enter')
    await page.waitForURL(/people=2&/)
    expect(await page.locator('#clusters tbody tr').count()).toBeGreaterThan(0)
    expect(await page.locator('#since tbody tr').count()).toBe(5)
    await close()
  })
  it('by keyboard: a slider leads to what was known on an earlier day, with and without script', async () => {
    for (const script of [true, false]) {
      const seen = await visit(browser, `${server.address}/macro/us/gdp`, { session, script, width: script ? 1440 : 360 })
      const { page, close, problems } = seen
      const slider = page.getByRole('slider')
      await slider.focus()
      // Two places before the last one, which is the present state.
      for (const key of ['Home', 'End', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key)
      if (script) {
        const named = await page.locator('output[for="known-slide"]').innerText()
        expect(named).toMatch(/^on \d+.[A-Z][a-z]{2}.2026$/)
        expect(await slider.getAttribute('aria-valuetext')).toBe(named)
        expect(await axeViolations(seen)).toEqual([])
      }
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\?as_of=2026-\d\d-\d\d$/)
      expect(await page.getByRole('columnheader', { name: 'Today' }).count()).toBe(1)
      await screenshot(seen, `macro-slider-${script ? 'script' : 'without-script'}`)
      if (script) expect(await axeViolations(seen)).toEqual([])
      expect(await overflow(seen)).toBeLessThanOrEqual(0)
      await page.getByRole('link', { name: /^Next: / }).focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/as_of=/)
      expect(problems).toEqual([])
      await close()
    }
  })
  it('by keyboard: an alert is tried on the past', async () => {
    for (const [name, look] of [
      ['tried', {}],
      ['tried-narrow', { width: 360, dark: true }],
    ] as const) {
      const seen = await visit(browser, `${server.address}/account/alerts`, { session, ...look })
      const { page, close, problems } = seen
      await page.getByLabel('Symbol', { exact: true }).fill('GLPR.TO')
      await page.getByLabel('Condition', { exact: true }).selectOption('above')
      await page.getByLabel('Threshold', { exact: true }).fill('112')
      await page.getByRole('button', { name: 'Try it on the past' }).focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/try/)
      expect(await page.locator('#tried tbody tr').count()).toBe(await page.locator('#tried circle').count())
      await screenshot(seen, `account-alerts-${name}`)
      expect(await overflow(seen)).toBeLessThanOrEqual(0)
      expect(await axeViolations(seen)).toEqual([])
      expect(problems).toEqual([])
      await close()
    }
  })
  it('by keyboard: a CSV of positions is refused with every line, and read from a file', async () => {
    const seen = await visit(browser, `${server.address}/account/portfolio`, { session })
    const { page, close } = seen
    await page.getByLabel('CSV', { exact: true }).fill('Symbol,Quantity,Currency\nMYFUND,"1,000",CAD\nGLPR.TO,1,dollars\n')
    await page.getByRole('button', { name: 'Import' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/import$/)
    expect(await page.locator('#import-csv-fault').innerText()).toContain('line 3, currency')
    await screenshot(seen, 'account-portfolio-refused')
    expect(await axeViolations(seen)).toEqual([])
    const file = { name: 'positions.csv', mimeType: 'text/csv', buffer: Buffer.from('Symbol,Quantity,Currency\nOTHERFUND,5,CAD\n') }
    await page.getByLabel('Or choose a file').setInputFiles(file)
    await page.waitForFunction("document.querySelector('#import-csv').value.includes('OTHERFUND')")
    await page.getByRole('button', { name: 'Import' }).click()
    await page.waitForURL(/done=imported/)
    expect(await page.getByText('OTHERFUND').count()).toBe(1)
    await close()
  })
  it('by keyboard: the assistant shows its look-ups while the answer arrives, then the answer', async () => {
    const seen = await visit(browser, `${server.address}/assistant`, { session })
    const { page, close, problems } = seen
    // The finished answer is kept back: the browser answers no question about a page that it is leaving.
    await page.evaluate(`{
      const submit = HTMLFormElement.prototype.submit
      HTMLFormElement.prototype.submit = function () { globalThis.goOn = () => submit.call(this) }
    }`)
    await page.locator('#ask-content').fill('What is the price of GLPR.TO?')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('[data-calls] li').filter({ hasText: 'ms)' }).first().waitFor()
    expect(await page.locator('[data-calls]').innerText()).toContain('get_quotes')
    await page.locator('[data-text]').filter({ hasText: 'GLPR.TO' }).waitFor()
    await screenshot(seen, 'assistant-arriving')
    expect(await axeViolations(seen)).toEqual([])
    await page.waitForFunction(`'goOn' in globalThis`)
    await page.evaluate('globalThis.goOn()')
    await page.locator('#answer-title').waitFor()
    expect(await page.locator('#answer').innerText()).toContain('Figures and where they are from')
    await screenshot(seen, 'assistant-answered')
    expect(problems).toEqual([])
    await close()
  })
  it('by keyboard: a calculator states all faults at the same time, and keeps what was typed', async () => {
    const { page, close } = await visit(browser, `${server.address}/calculators/flow-through`, { session, script: false })
    await page.getByLabel('Shares', { exact: true }).fill('many')
    await page.getByLabel('Taxable income of the year, CAD').fill('-1')
    await page.keyboard.press('Enter')
    await page.waitForURL(/calculate$/)
    expect(await page.locator('[role=alert] li').count()).toBe(2)
    expect(await page.getByLabel('Shares', { exact: true }).inputValue()).toBe('many')
    await page.getByLabel('Shares', { exact: true }).fill('10000')
    await page.getByLabel('Taxable income of the year, CAD').fill('150000')
    await page.keyboard.press('Enter')
    await page.locator('#result-title').waitFor()
    expect(await page.locator('#result-title').innerText()).toContain('Net cost')
    await close()
  })
})
