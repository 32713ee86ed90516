// The pages of an account over the bundled universe: what their forms do, and what they refuse.
import { describe, expect, test } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'

const { server, db } = await worldService({ worker: false })
const session = (await signedInUser(db)).token
const cookie = `service_session=${session}`

const get = async (path: string, own = cookie): Promise<string> => {
  const response = await fetch(server.address + path, { headers: { accept: 'text/html', cookie: own } })
  expect(response.status).toBe(200)
  return await response.text()
}
/** The token of the page's forms, as its HTML has it. */
const tokenIn = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
const post = async (path: string, fields: Record<string, string>, token?: string) => {
  const own = token ?? tokenIn(await get('/account/alerts'))
  const response = await fetch(server.address + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token: own, ...fields }),
  })
  return { status: response.status, to: response.headers.get('location'), body: await response.text() }
}

describe('pages of an account', () => {
  test('belong to a signed-in user', async () => {
    for (const path of ['/account', '/account/alerts', '/account/watchlist']) {
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

  test('change the name that is shown', async () => {
    expect(await post('/account/name', { display_name: 'Jane <b>' })).toMatchObject({ to: '/account?done=named' })
    expect(await get('/account')).toContain('value="Jane &lt;b&gt;"')
  })

  test('refuse a form without its token, and that of another session', async () => {
    const other = tokenIn(await get('/account/alerts', `service_session=${(await signedInUser(db)).token}`))
    expect(other).not.toBe('')
    for (const token of ['', other]) expect((await post('/account/watchlist/add', { ticker: 'GLPR.TO', tags: '', note: '' }, token)).status).toBe(422)
    expect(await get('/account/watchlist')).toContain('The watchlist is empty.')
  })
})
