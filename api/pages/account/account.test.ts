// The pages of an account over the bundled universe: what their forms do, and what they refuse.
import { beforeEach, describe, expect, test } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { beginSession } from '#warehouse/people/users/sessions.ts'

const { server, db } = await worldService({ worker: false })
let [user_id, cookie] = ['', '']
// A user for each test: the limit of requests is that of an account.
beforeEach(async () => {
  const user = await signedInUser(db)
  ;[user_id, cookie] = [user.user_id, user.cookie.cookie]
})

const get = async (path: string, own = cookie): Promise<string> => {
  const response = await fetch(server.address + path, { headers: { accept: 'text/html', cookie: own } })
  expect(response.status).toBe(200)
  return await response.text()
}
/** The token of the page's forms, as its HTML has it. */
const tokenIn = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
const post = async (path: string, fields: Record<string, string>, token?: string, sender = cookie) => {
  const own = token ?? tokenIn(await get('/account/alerts'))
  const response = await fetch(server.address + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', cookie: sender, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token: own, ...fields }),
  })
  return { status: response.status, to: response.headers.get('location'), body: await response.text() }
}

describe('pages of an account', () => {
  test('belong to a signed-in user', async () => {
    for (const path of ['/account', '/account/alerts', '/account/watchlist', '/account/portfolio']) {
      const response = await fetch(server.address + path, { headers: { accept: 'text/html' } })
      expect([path, response.status]).toEqual([path, 401])
    }
    expect(await get('/account')).toContain('<h1>Your account</h1>')
  })

  test('set, dismiss, activate and delete an alert', async () => {
    const made = await post('/account/alerts/create', {
      ticker: 'tsx:glpr',
      condition: 'above',
      threshold: '150.50',
      scope: 'ticker',
      note: 'after results',
    })
    expect(made).toMatchObject({ status: 303, to: '/account/alerts?done=created' })
    const listed = await get('/account/alerts?done=created')
    expect(listed).toContain('price is above 150.5')
    expect(listed).toContain('after results')
    const id = /name="id" value="(a_[^"]+)"/.exec(listed)?.[1] ?? ''
    expect(await get(`/account/alerts?alert=${id}`)).toContain('It has not fired.')
    expect(await post('/account/alerts/edit', { id, note: ' after the split ' })).toMatchObject({ to: `/account/alerts?done=changed&alert=${id}` })
    expect(await get(`/account/alerts?alert=${id}`)).toContain('value="after the split"')
    const copied = await get(`/account/alerts?copy=${id}`)
    for (const text of ['value="GLPR.TO"', 'value="150.5"', 'value="after the split"']) expect(copied).toContain(text)
    expect((await post('/account/alerts/edit', { id, note: 'x'.repeat(300) })).body).toContain('id="edit-note-fault"')
    expect(await get(`/account/alerts?alert=${id}`)).toContain('Change the conditions')
    const terms = { id, condition: 'px_above_sma200', threshold: '', condition2: '', threshold2: '', baseline_price: '', logic: 'AND' }
    const faulty = await post('/account/alerts/terms', { ...terms, condition: 'above', baseline_price: '-1' })
    expect([faulty.status, faulty.body.match(/id="terms-[a-z_]+-fault"/g)]).toEqual([
      422,
      ['id="terms-threshold-fault"', 'id="terms-baseline_price-fault"'],
    ])
    expect(await post('/account/alerts/terms', terms)).toMatchObject({ to: `/account/alerts?done=changed&alert=${id}#alert` })
    expect(await get(`/account/alerts?alert=${id}`)).toContain('<dd>price is above its 200-day average</dd>')
    expect(await post('/account/alerts/terms', { ...terms, condition: 'above', threshold: '150.50' })).toMatchObject({ status: 303 })
    expect(await post('/account/alerts/change', { id, to: 'dismissed' })).toMatchObject({ to: '/account/alerts?done=changed' })
    expect(await get('/account/alerts')).toContain('Activate the alert on GLPR.TO')
    expect(await post('/account/alerts/change', { id, to: 'active' })).toMatchObject({ to: '/account/alerts?done=changed' })
    expect(await post('/account/alerts/change', { id, to: 'delete' })).toMatchObject({ to: '/account/alerts?done=deleted' })
    expect(await get('/account/alerts')).toContain('There is no alert.')
  })

  test('state every fault of an alert at the same time, and keep what was typed', async () => {
    const { status, body } = await post('/account/alerts/create', {
      ticker: '',
      condition: 'above',
      threshold: 'much',
      scope: 'ticker',
      note: 'mine',
    })
    expect(status).toBe(422)
    for (const field of ['ticker', 'threshold']) expect(body).toContain(`id="create-${field}-fault"`)
    expect(body).toContain('value="much"')
    expect(body).toContain('value="mine"')
    const unknown = await post('/account/alerts/create', { ticker: 'NOSUCH', condition: 'above', threshold: '1', scope: 'ticker', note: '' })
    expect(unknown.body).toMatch(/id="create-ticker-fault">No symbol NOSUCH/)
  })

  test('set an alert of two conditions, and send an empty threshold as absent', async () => {
    const blank = { threshold: '', condition2: '', threshold2: '', note: '' }
    const alert = { ...blank, ticker: 'GLPR.TO', condition: 'px_above_sma50', logic: 'AND', scope: 'ticker' }
    const absent = await post('/account/alerts/create', { ...alert, condition: 'above' })
    expect(absent.status).toBe(422)
    expect(absent.body).toContain('id="create-threshold-fault"')
    const faulty = await post('/account/alerts/create', { ...alert, baseline_price: '-1', threshold2: '30', logic: 'XOR', note: 'x'.repeat(300) })
    for (const field of ['baseline_price', 'condition2', 'logic', 'note']) expect(faulty.body).toContain(`id="create-${field}-fault"`)
    const two = {
      ...alert,
      condition: 'pct_down',
      threshold: '10',
      baseline_price: '120.50',
      condition2: 'rsi_below',
      threshold2: '30.5',
      logic: 'OR',
    }
    expect(await post('/account/alerts/create', two)).toMatchObject({ to: '/account/alerts?done=created' })
    const listed = await get('/account/alerts')
    expect(listed).toContain('price is down by percent 10 or RSI is below 30.5')
    const id = /name="id" value="(a_[^"]+)"/.exec(listed)?.[1] ?? ''
    expect(await get(`/account/alerts?alert=${id}`)).toContain('<dd>120.5</dd>')
    expect(await post('/account/alerts/change', { id, to: 'delete' })).toMatchObject({ to: '/account/alerts?done=deleted' })
  })

  test('a form that is submitted twice sets one alert', async () => {
    const alert = { ticker: 'GLPR.TO', condition: 'below', threshold: '5', scope: 'ticker', once: 'the-same-form-of-a-test' }
    for (const _time of [1, 2]) expect((await post('/account/alerts/create', alert)).status).toBe(303)
    const ids = new Set([...(await get('/account/alerts')).matchAll(/name="id" value="(a_[^"]+)"/g)].map(([, id]) => id))
    expect(ids.size).toBe(1)
    await post('/account/alerts/change', { id: [...ids][0] ?? '', to: 'delete' })
  })

  test('try an alert on the past: a chart and a table of the same firings, and nothing is saved', async () => {
    const tried = { ticker: 'GLPR.TO', condition: 'rsi_below', threshold: '35', scope: 'ticker', days: '180' }
    const { status, body } = await post('/account/alerts/try', tried)
    expect(status).toBe(200)
    const dates = [...body.matchAll(/<th scope="row" class="t"><time datetime="([\d-]+)"/g)].map(([, date]) => date)
    expect(dates.length).toBeGreaterThan(0)
    expect(body).toContain(`It would have fired ${dates.length} times`)
    expect(body.match(/<circle /g)).toHaveLength(dates.length)
    expect(body).toContain('value="35"')
    expect(await get('/account/alerts')).toContain('There is no alert.')
    expect(body).toContain('aria-label="GLPR.TO: RSI on each session')
    const average = await post('/account/alerts/try', { ...tried, condition: 'px_above_sma50', threshold: '' })
    expect([average.status, average.body.match(/class="average s3"/g)?.length]).toEqual([200, 1])
    const above = await post('/account/alerts/try', { ...tried, condition: 'above', threshold: '112' })
    expect(above.body).toContain('class="level"')
    const faulty = await post('/account/alerts/try', { ...tried, threshold: 'much', days: '2000' })
    expect(faulty.status).toBe(422)
    for (const field of ['threshold', 'days']) expect(faulty.body).toContain(`id="create-${field}-fault"`)
    const watchlist = await post('/account/alerts/try', { ...tried, ticker: '', scope: 'watchlist' })
    expect(watchlist.body).toContain('The watchlist is empty.')
  })

  test('set, dismiss, activate and delete an alert on an offering', async () => {
    const faulty = await post('/account/alerts/offering', { ticker: '', event: 'soon', lead_days: 'ten', note: '' })
    for (const field of ['ticker', 'event', 'lead_days']) expect(faulty.body).toContain(`id="offering-${field}-fault"`)
    expect(await post('/account/alerts/offering', { ticker: 'sltk', event: 'lockup_soon', lead_days: '10', note: '' })).toMatchObject({
      to: '/account/alerts?done=offering#offerings',
    })
    const listed = await get('/account/alerts')
    for (const text of ['SLTK', '10 days before', 'not yet']) expect(listed).toContain(text)
    const id = /name="id" value="(i_[^"]+)"/.exec(listed)?.[1] ?? ''
    for (const [to, shown] of [
      ['dismissed', 'Activate the alert on the offering SLTK'],
      ['active', 'Dismiss the alert on the offering SLTK'],
      ['delete', 'There is no alert on an offering.'],
    ] as const) {
      expect((await post('/account/alerts/offering-change', { id, to })).status).toBe(303)
      expect(await get('/account/alerts')).toContain(shown)
    }
  })

  test('add a listing once, and remove it', async () => {
    expect(await post('/account/watchlist/add', { ticker: 'GLPR.TO', tags: 'rail, TFSA', note: '' })).toMatchObject({
      to: '/account/watchlist?done=added',
    })
    const listed = await get('/account/watchlist')
    for (const text of ['rail', 'TFSA', 'Remove GLPR.TO']) expect(listed).toContain(text)
    expect((await post('/account/watchlist/add', { ticker: 'GLPR.TO', tags: '', note: '' })).body).toContain('id="add-ticker-fault"')
    const id = /name="id" value="(w_[^"]+)"/.exec(listed)?.[1] ?? ''
    expect(await post('/account/watchlist/remove', { id })).toMatchObject({ to: '/account/watchlist?done=removed' })
    expect(await get('/account/watchlist')).toContain('The watchlist is empty.')
  })

  test('show the last price of a listing with its change and its day, as the quote has them', async () => {
    for (const ticker of ['GLPR.TO', 'NGP']) await post('/account/watchlist/add', { ticker, tags: '', note: '' })
    const { quotes } = JSON.parse(await (await fetch(`${server.address}/api/v1/market/quotes?symbols=GLPR.TO`)).text())
    const row = /GLPR\.TO[\s\S]*?<\/tr>/.exec((await get('/account/watchlist')).split('<tbody>')[1] ?? '')?.[0] ?? ''
    expect(row).toContain(`${quotes[0].price} ${quotes[0].currency}`)
    expect(row).toContain(`datetime="${quotes[0].session_date}"`)
    expect(row).toContain(`+${quotes[0].change}`)
  })

  test('import a watchlist wholly or not at all, name every faulty line, and export what can be imported', async () => {
    const csv = 'Symbol,Tags,Note\nGLPR.TO,rail; TFSA,"a ""note"", with a comma"\nNOSUCH,,\nNGP,,\ntsx:glpr,,\nNONE2,,\n'
    const partial = await post('/account/watchlist/import', { csv })
    expect(partial.status).toBe(422)
    expect(partial.body).toContain('Nothing was added. These lines are faulty:')
    for (const text of ['line 3: No symbol NOSUCH', 'line 6: No symbol NONE2']) expect(partial.body).toContain(text)
    expect(await get('/account/watchlist')).toContain('The watchlist is empty.')
    const whole = csv.replace('NOSUCH,,\n', '').replace('NONE2,,\n', '')
    expect(await post('/account/watchlist/import', { csv: whole })).toMatchObject({ to: '/account/watchlist?done=listed&added=2&present=1' })
    const exported = await fetch(`${server.address}/account/watchlist?as=csv`, { headers: { accept: 'text/html', cookie } })
    expect(exported.headers.get('content-type')).toContain('text/csv')
    expect(exported.headers.get('content-disposition')).toBe('attachment; filename="watchlist.csv"')
    const text = await exported.text()
    expect(text).toBe('symbol,tags,note\r\nGLPR.TO,rail; TFSA,"a ""note"", with a comma"\r\nNGP,,\r\n')
    expect(await post('/account/watchlist/import', { csv: text })).toMatchObject({ to: '/account/watchlist?done=listed&added=0&present=2' })
    expect((await post('/account/watchlist/import', { csv: 'price\n1\n2\n' })).status).toBe(422)
    expect((await post('/account/watchlist/import', { csv: 'BRLX\n' })).to).toBe('/account/watchlist?done=listed&added=1&present=0')
  })

  test('add, value, replace and remove positions, with every digit', async () => {
    const amounts = { quantity: '1,500.500000000010', acb_per_share: '12.250' }
    const position = { ticker: 'tsx:glpr', ...amounts, currency: 'cad', account_type: 'tfsa', note: '' }
    expect((await post('/account/portfolio/add', { ...position, quantity: '150.50' })).to).toBe('/account/portfolio?done=position_added')
    const repeated = await post('/account/portfolio/add', { ...position, quantity: 'many' })
    expect(repeated.status).toBe(422)
    expect(repeated.body).toContain('id="add-quantity-fault"')
    expect((await post('/account/portfolio/add', position)).body).toContain('id="add-ticker-fault"')
    const id = /name="id" value="(pos_[^"]+)"/.exec(await get('/account/portfolio'))?.[1] ?? ''
    expect(await get(`/account/portfolio?edit=${id}`)).toContain('Replace the position in GLPR.TO')
    expect((await post('/account/portfolio/replace', { id, ...position })).to).toBe('/account/portfolio?done=position_replaced')
    const listed = await get('/account/portfolio')
    for (const text of ['1,500.500000000010', '12.250 CAD', 'tfsa']) expect(listed).toContain(text)
    const { positions } = JSON.parse(await (await fetch(`${server.address}/api/v1/portfolio/summary`, { headers: { cookie } })).text())
    expect(listed).toContain(`${positions[0].price.price} CAD`)
    expect(await post('/account/portfolio/remove', { id })).toMatchObject({ to: '/account/portfolio?done=position_removed' })
    expect(await get('/account/portfolio')).toContain('There is no position.')
  })

  test('import a CSV wholly or not at all, and show an unknown value as unknown', async () => {
    const broken = await post('/account/portfolio/import', { csv: 'Symbol,Quantity,Currency\nMYFUND,"1,000",CAD\nGLPR.TO,1,dollars\n' })
    expect(broken.status).toBe(422)
    for (const text of ['line 2, quantity:', 'line 3, currency:', 'Nothing was imported.', 'MYFUND,']) expect(broken.body).toContain(text)
    expect(await get('/account/portfolio')).toContain('There is no position.')
    const csv = 'Symbol,Quantity,Currency,Market Value\nMYFUND,100,CAD,\n'
    expect((await post('/account/portfolio/import', { csv })).to).toBe('/account/portfolio?done=imported&imported=1&ignored=1')
    const listed = await get('/account/portfolio?done=imported&imported=1&ignored=1')
    expect(listed).toContain('1 column of the CSV is not part of a position and was left out.')
    expect(listed).toContain('no directory lists this symbol')
    const cells = [...(/MYFUND[\s\S]*?<\/tr>/.exec(listed)?.[0] ?? '').matchAll(/<td class="n">(.*?)<\/td>/g)].map(([, cell = '']) => cell)
    expect(cells).toHaveLength(6)
    expect(cells[0]).toBe('100')
    for (const cell of cells.slice(1)) expect(cell).toContain('not known')
    expect((await post('/account/portfolio/import', { csv: ' ' })).body).toContain('id="import-csv-fault"')
    expect(
      (
        await post('/account/portfolio/import', {
          csv: `symbol,quantity,currency,note\n${'MYFUND,1,CAD,a long note that fills the body\n'.repeat(2000)}`,
        })
      ).status,
    ).toBe(422)
    const id = /name="id" value="(pos_[^"]+)"/.exec(listed)?.[1] ?? ''
    expect(await post('/account/portfolio/remove', { id })).toMatchObject({ status: 303 })
  })

  test('change the name that is shown', async () => {
    expect(await post('/account/name', { display_name: 'Jane <b>' })).toMatchObject({ to: '/account?done=named' })
    expect(await get('/account')).toContain('value="Jane &lt;b&gt;"')
  })

  test('record a consent and its withdrawal, and keep both', async () => {
    expect(await get('/account')).toContain('never given')
    for (const consent_action of ['granted', 'withdrawn'])
      expect(await post('/account/consent', { consent_type: 'analytics', consent_action })).toMatchObject({ to: '/account?done=consent#consents' })
    const shown = await get('/account')
    expect(shown).toContain('aria-label="Give: analytics"')
    expect([...shown.matchAll(/<td>(granted|withdrawn)<\/td>/g)].map(([, action]) => action)).toEqual(['withdrawn', 'granted'])
    expect((await post('/account/consent', { consent_type: 'analytics', consent_action: '' })).status).toBe(422)
  })

  test('end another session, and all others', async () => {
    const other = { address_prefix: '198.51.100.0/24', agent: 'Safari' }
    for (const _n of [1, 2, 3]) await beginSession(db, user_id, 'user', other, new Date())
    const listed = await get('/account')
    expect(listed.match(/aria-label="End the session of Safari, 198.51.100.0\/24"/g)).toHaveLength(3)
    const id = /action="\/account\/end">.*?name="id" value="(s_[^"]+)"/.exec(listed)?.[1] ?? ''
    expect(await post('/account/end', { id })).toMatchObject({ to: '/account?done=ended#sign-ins' })
    expect((await post('/account/end', { id })).status).toBe(422)
    expect(await post('/account/end', { id: 'others' })).toMatchObject({ to: '/account?done=ended#sign-ins' })
    const after = await get('/account')
    expect(after).not.toContain('End the session of')
    expect(after).toContain('this one')
  })

  test('show whether the address is confirmed, and mail a link again', async () => {
    expect(await get('/account')).toContain('confirmed')
    const unconfirmed = `service_session=${(await signedInUser(db, { verified: false })).token}`
    const shown = await get('/account', unconfirmed)
    expect(shown).toContain('not confirmed')
    expect(await post('/account/confirm', {}, tokenIn(shown), unconfirmed)).toMatchObject({ to: '/account?done=mailed#sign-ins' })
  })

  test('refuse a form without its token, and that of another session', async () => {
    const other = tokenIn(await get('/account/alerts', `service_session=${(await signedInUser(db)).token}`))
    expect(other).not.toBe('')
    for (const token of ['', other]) expect((await post('/account/watchlist/add', { ticker: 'GLPR.TO', tags: '', note: '' }, token)).status).toBe(422)
    expect(await get('/account/watchlist')).toContain('The watchlist is empty.')
  })
})

test('the page of billing requests another tier once, states every fault, and returns to the free one', async () => {
  const page = await get('/account/billing')
  for (const text of ['There is no open request.', 'What each tier allows', 'Request another tier']) expect(page).toContain(text)
  // This installation takes no payments, and the account is on the free tier.
  for (const text of ['Begin the payment', 'Request the end']) expect(page).not.toContain(text)
  const faulty = await post('/account/billing/change', { target_tier: 'gold', note: 'x'.repeat(600) })
  expect([faulty.status, faulty.body.match(/id="change-[a-z_]+-fault"/g)]).toEqual([422, ['id="change-target_tier-fault"', 'id="change-note-fault"']])
  for (const _time of [1, 2])
    expect(await post('/account/billing/change', { target_tier: 'alpha', note: ' for the team ', once: 'the-same-form' })).toMatchObject({
      to: '/account/billing?done=tier',
    })
  const listed = await get('/account/billing')
  expect(listed.match(/Change to alpha/g)).toHaveLength(1)
  expect(listed).toContain('for the team')
  const free = await post('/account/billing/cancel', { reason: '' })
  expect([free.status, free.body.includes('role="alert"')]).toEqual([422, true])
  const unpaid = await post('/account/billing/pay', { tier: 'trader', interval: 'monthly' })
  expect([unpaid.status, unpaid.body.includes('takes no payments')]).toEqual([422, true])
})
