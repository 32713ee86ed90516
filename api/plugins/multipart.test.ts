import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadRequest } from '#schemas/errors.ts'
import { formFile } from './multipart.ts'

const type = 'multipart/form-data; boundary=b1'
const part = (headers: string, body: string): string => `--b1\r\n${headers}\r\n\r\n${body}\r\n`
const file = (body: string, name = 'file', filename = 'a.pdf'): string =>
  part(`Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/pdf`, body)
const read = (text: string, contentType = type) => formFile(contentType, Buffer.from(text, 'latin1'), 'file')
const refused = (text: string, contentType = type): BadRequest => {
  try {
    read(text, contentType)
  } catch (error) {
    if (error instanceof BadRequest) return error
    throw error
  }
  return expect.fail('it was read')
}

describe('a form with one file', () => {
  it('gives its bytes, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), bytes => {
        const body = Buffer.concat([
          Buffer.from('--b1\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'),
          bytes,
          Buffer.from('\r\n--b1--\r\n'),
        ])
        if (Buffer.from(bytes).includes('\r\n--b1')) return
        expect(formFile(type, body, 'file').bytes.equals(Buffer.from(bytes))).toBe(true)
      }),
      { seed: 7, numRuns: 300 },
    )
  })
  it('may have a preamble, a quoted boundary, blanks behind a boundary and no line end at its end', () => {
    expect(read(`preamble\r\n${file('x')}--b1--`, 'multipart/form-data; charset=utf-8; boundary="b1"').bytes.toString()).toBe('x')
    expect(read(`${file('x').replace('--b1\r\n', '--b1 \t\r\n')}--b1--\r\n`).filename).toBe('a.pdf')
  })
  it.each([
    ['without a boundary', file('x'), 'multipart/form-data', 400, /no boundary/],
    ['whose boundary is not in it', 'x', type, 400, /body has no boundary/],
    ['cut short', file('x'), type, 400, /cut short/],
    ['cut in its headers', '--b1\r\nContent-Disposition: form-data; name="file"', type, 400, /cut short/],
    ['whose part has no name', `${part('Content-Disposition: form-data', 'x')}--b1--`, type, 400, /with a name/],
    ['whose part has no headers', '--b1\r\nx\r\n--b1--', type, 400, /no headers/],
    ['with headers without end', `--b1\r\n${'x'.repeat(9_000)}\r\n\r\n\r\n--b1--`, type, 400, /no headers, or more than/],
    ['in base64', `${file('x').replace('Content-Type', 'Content-Transfer-Encoding: base64\r\nContent-Type')}--b1--`, type, 400, /Transfer-Encoding/],
    ['of many parts', `${file('x').repeat(20)}--b1--`, type, 400, /more than 16 parts/],
    ['of no part', '--b1--\r\n', type, 422, /.*/],
    ['of two files', `${file('x')}${file('y')}--b1--`, type, 422, /.*/],
    ['with another part', `${file('x')}${file('y', 'other')}--b1--`, type, 422, /.*/],
    ['with a text in place of the file', `${part('Content-Disposition: form-data; name="file"', 'x')}--b1--`, type, 422, /.*/],
  ])('%s is refused', (_name, text, contentType, status, message) => {
    const error = refused(text, contentType)
    expect([error.status, error.hint?.length]).toEqual([status, expect.any(Number)])
    expect(error.message).toMatch(message)
  })
  it('of noise is refused and never breaks the reader', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('--b1', '--b1--', '\r\n', '\r\n\r\n', 'Content-Disposition: form-data; name="file"', '; filename="a"', 'x', ' ', '"'),
        ),
        parts => {
          try {
            read(parts.join(''))
          } catch (error) {
            expect(error).toBeInstanceOf(BadRequest)
          }
        },
      ),
      { seed: 11, numRuns: 2_000 },
    )
  })
})
