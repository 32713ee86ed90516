// Every page of the register in Chromium over the bundled universe, as `npm start` serves it. Skips where no Chromium is installed.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { chromiumPath, openChromium } from '#fixtures/browser.ts'
import { checkPage, looks, pictureName } from '#fixtures/page-checks.ts'
import { signedInUser } from '#fixtures/users.ts'
import { type TestWarehouse, worldWarehouse } from '#fixtures/warehouse.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { keysFolderOf } from '#warehouse/people/users/key-files.ts'
import { type Server, startServer } from '../server.ts'
import { pages } from './register.ts'

// The first test file of a run that asks for the universe loads it, which takes minutes on a busy machine.
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
    session = (await signedInUser(db)).token
    const operator = await signedInUser(db, { is_admin: true, kind: 'admin' })
    await enrolNow(db, openSealKey(keysFolderOf(config.dataFolder)), operator, new Date())
    admin = operator.token
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })
  for (const { path, sample, access } of pages.filter(each => !['/answer', '/status.atom'].includes(each.path))) {
    it.skipIf(access !== 'public')(`${path}: for a visitor`, async () => {
      await checkPage(browser, server.address + sample, {}, pictureName(path, 'visitor'))
    })
    it.each(looks)(`${path}: signed in, %s`, async (state, look) => {
      await checkPage(browser, server.address + sample, { ...look, session, admin }, pictureName(path, state))
    })
  }
})
