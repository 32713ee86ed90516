import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublic, transportUrl } from './guard.ts'
import { redactBytes, redactText, redactUrl } from './redact.ts'
import { jitterSeconds, retryAfterSeconds, secondsUntil } from './retry.ts'

describe('an address', () => {
  test.each(['8.8.8.8', '23.44.1.7', '2600:1f18::1', '2a02:26f0::5'])('%s is public', address => expect(isPublic(address)).toBe(true))
  test.each([
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '127.0.0.1',
    '0.0.0.0',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001:db8::1',
    '2001::1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '127.1',
    '',
    'localhost',
    'fe80::1%eth0',
  ])('%s is not', address => expect(isPublic(address)).toBe(false))

  test('of a simulator holds the real host as the first part of its path', () => {
    const url = new URL('https://www.sec.gov/Archives/edgar/data/1/x.txt?a=%5E&b=1')
    expect(transportUrl(url, 'http://127.0.0.1:9000').href).toBe('http://127.0.0.1:9000/www.sec.gov/Archives/edgar/data/1/x.txt?a=%5E&b=1')
    expect(transportUrl(url, 'http://127.0.0.1:9000/world/').href).toBe(
      'http://127.0.0.1:9000/world/www.sec.gov/Archives/edgar/data/1/x.txt?a=%5E&b=1',
    )
    expect(transportUrl(url, undefined).href).toBe(url.href)
  })
})

describe('redaction', () => {
  test('takes credential parameters out of an address and leaves every other byte', () => {
    expect(redactUrl('https://eodhd.com/api/eod/A.US?api_token=s3cret&fmt=json&from=2024-01-01')).toBe(
      'https://eodhd.com/api/eod/A.US?fmt=json&from=2024-01-01',
    )
    expect(redactUrl('https://u:p@www.alphavantage.co/query?function=X&apikey=s3cret#token=1')).toBe('https://www.alphavantage.co/query?function=X')
    expect(redactUrl('https://x.example/?%61pi_token=a&TOKEN=b&apiKey=c')).toBe('https://x.example/')
    expect(redactUrl('https://www.tsx.com/json/company-directory/search/tsx/%5E*?q=a+b%20c&d')).toBe(
      'https://www.tsx.com/json/company-directory/search/tsx/%5E*?q=a+b%20c&d',
    )
  })

  test('no secret of at least four characters survives in a text or in bytes', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4, maxLength: 40 }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!'***'.includes(secret) && !/^[*]+$/.test(secret) && !(before + after).includes('*'))
        expect(redactText(`${before}${secret}${after}`, [secret])).not.toContain(secret)
        const body = Buffer.from(`${before}${secret}${after}`)
        const clean = Buffer.from(redactBytes(body, [secret]))
        expect(clean.length).toBe(body.length)
        expect(clean.includes(Buffer.from(secret))).toBe(false)
      }),
    )
  })

  test('leaves bytes without a secret as they are', () => {
    const body = Buffer.from('plain')
    expect(redactBytes(body, ['s3cret'])).toBe(body)
  })
})

describe('waiting', () => {
  const now = Date.parse('2026-11-20T15:59:30Z')
  test.each<[string | undefined, number | null]>([
    ['120', 120],
    ['0', 0],
    ['Fri, 20 Nov 2026 16:00:00 GMT', 30],
    ['Fri, 20 Nov 2099 16:00:00 GMT', 3600],
    ['999999999999', 3600],
    ['Fri, 20 Nov 2020 16:00:00 GMT', null],
    ['-5', null],
    ['soon', null],
    ['1.5e9', null],
    ['', null],
    [undefined, null],
  ])('Retry-After %s means %s seconds', (header, seconds) => expect(retryAfterSeconds(header, now)).toBe(seconds))

  test('full jitter stays between one second and five minutes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const seconds = jitterSeconds(attempt, () => random)
        expect(seconds).toBeGreaterThanOrEqual(1)
        expect(seconds).toBeLessThanOrEqual(300)
      }),
    )
    expect(jitterSeconds(30, () => 0.999999)).toBeCloseTo(300, 2)
  })

  test('quotas begin anew on the UTC hour and day', () => {
    expect(secondsUntil('next_hour', now)).toBe(30)
    expect(secondsUntil('next_day', now)).toBe(8 * 3600 + 30)
  })
})
