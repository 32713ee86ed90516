import { describe, expect, test } from 'vitest'
import { BadRequest, Broken, Upstream } from '#schemas/errors.ts'
import { asUpstream, isConnectionError } from './connection-errors.ts'
import { exitCodeOf } from './exit-code.ts'

const withCode = (code: string, message = 'some words'): Error => Object.assign(new Error(message), { code })

describe('an error of the connection', () => {
  test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '57P03', '08006', '08P01', '53300', '25P03', '57014'])(
    'is known by its code %s',
    code => expect(isConnectionError(withCode(code))).toBe(true),
  )
  test.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
  ])('is known by the driver’s words: %s', message => expect(isConnectionError(new Error(message))).toBe(true))
  test('is found behind the error that it caused, and among the attempts on several addresses', () => {
    expect(isConnectionError(new Broken('not migrated', { cause: withCode('57P01') }))).toBe(true)
    expect(isConnectionError(new AggregateError([withCode('ECONNREFUSED')], ''))).toBe(true)
  })
  test.each(['23505', '42P01', '40001', '22P02', 'ENOSPC', 'ENOENT'])('is not one with code %s', code =>
    expect(isConnectionError(withCode(code))).toBe(false),
  )
  test('whose cause is itself is classified in the end', () => {
    const error = new Error('loop')
    error.cause = error
    expect(isConnectionError(error)).toBe(false)
  })
})

test('Postgres away is 503 with a time to ask again, and exit code 3; an error of this service is unchanged', () => {
  expect(asUpstream(withCode('57P03'))).toMatchObject({ status: 503, code: 'upstream_unavailable', retryAfterSeconds: 2 })
  const refusal = new BadRequest('a bad symbol', { cause: withCode('57P03') })
  expect(asUpstream(refusal)).toBe(refusal)
  const own = new Upstream('the SEC does not answer', { cause: withCode('ECONNRESET'), retryAfterSeconds: 60 })
  expect(asUpstream(own)).toBe(own)
  expect([withCode('57P01'), own, refusal, new Error('boom')].map(exitCodeOf)).toEqual([3, 3, 2, 1])
})

test('a full disk of Postgres is named, and keeps status and exit code', () => {
  const full = withCode('53100', 'could not extend file "base/16384/2840": No space left on device')
  expect(asUpstream(full)).toMatchObject({
    status: 503,
    message: 'the disk of the database is full: nothing can be stored at the moment',
    retryAfterSeconds: 60,
  })
  expect(exitCodeOf(full)).toBe(3)
  expect(asUpstream(withCode('53200', 'out of memory'))).toMatchObject({ message: 'the database cannot be reached at the moment' })
})
