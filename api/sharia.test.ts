// Sharia answers over the wire: as rows, signed, and made again from the raw documents that their receipts name.
import { describe, expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { textTable } from '#fixtures/text-table.ts'

const { get: ask } = await worldService()

describe('a signed answer', () => {
  it.each([
    '/api/v1/sharia/screen-all/QT',
    '/api/v1/sharia/screen-all/LNTF?as_of=2026-11-10T12:00:00Z',
    '/api/v1/sharia/screen-all/MPLS.TO',
    '/api/v1/sharia/screen-all/CBC.TO',
    '/api/v1/sharia/screen-all/BXH-B',
    '/api/v1/sharia/screen/QT?standard=djim',
    '/api/v1/sharia/screen/LNTF?ruleset=sp-shariah@2021-05',
    '/api/v1/sharia/purification/QT?shares=12.5',
    '/api/v1/sharia/purification/ASG.TO?shares=100&from=2025-01-01&to=2026-11-19',
  ])('%s is made again from its raw documents', async path => {
    const answer = await ask(`${path}${path.includes('?') ? '&' : '?'}receipt=1`)
    expect(answer.status).toBe(200)
    const { receipt_id } = (await answer.json()) as { receipt_id: string }
    expect(answer.headers.get('x-receipt-id')).toBe(receipt_id)
    const verified = (await (await ask(`/api/v1/lineage/verify/${receipt_id}`)).json()) as { reproduced: boolean | null }
    expect(verified).toMatchObject({ valid: true, reproduced: true })
  })
})

describe('over the wire', () => {
  it('the five verdicts are five rows of a table, the tests of one edition its rows', async () => {
    const table = await (await ask('/api/v1/sharia/screen-all/LNTF?format=csv')).text()
    const lines = table.trim().split(/\r?\n/)
    expect(lines[0]).toContain('standard,ruleset')
    expect(lines).toHaveLength(6)
    const text = await (await ask('/api/v1/sharia/screen/LNTF?standard=ftse&format=excel')).text()
    expect(text.trim().split(/\r?\n/)).toHaveLength(5)
    expect(text.split(/\r?\n/)[0]?.split('\t')).toEqual(
      expect.arrayContaining(['id', 'status', 'numerator.value', 'denominator.value', 'ratio', 'limit']),
    )
  })
  it.each(textTable`
    404 | not_found   | /api/v1/sharia/screen-all/ZZZZZ
    400 | bad_request | /api/v1/sharia/screen/QT
    400 | bad_request | /api/v1/sharia/screen/QT?standard=maliki
    400 | bad_request | /api/v1/sharia/screen/QT?standard=ftse&mode=retention
    400 | bad_request | /api/v1/sharia/screen/QT?standard=djim&mode=index
    400 | bad_request | /api/v1/sharia/purification/QT?shares=-5
    400 | bad_request | /api/v1/sharia/purification/QT?from=2026-02-01&to=2026-01-01
  `)('%s %s with a hint: %s', async (status, code, path = '') => {
    const answer = await ask(path)
    const body = (await answer.json()) as { code: string; hint: string }
    expect([answer.status, body.code, body.hint.length > 10]).toEqual([Number(status), code, true])
  })
  it('a request without key is refused', async () => {
    expect((await ask('/api/v1/sharia/screen-all/LNTF', {})).status).toBe(401)
  })
})
