// What a shared text never contains, also across line breaks, in values and next to letters.
import { expect, it } from 'vitest'
import { mintSessionText } from '../users/session-text.ts'
import { withoutPrivate, withTexts } from './shares.ts'

it('removes keys and addresses of persons from the texts of a value, whatever stands in front of them', () => {
  const secret = mintSessionText()
  const key = `cf_live_${'a1'.repeat(16)}`
  for (const before of ['', ' ', '\n', '\t', '\\', '"', 'x', '_']) {
    const value = { v: [`a${before}${secret} and ${key}`, `b${before}john@example.org`], n: 1, none: null }
    const clean = withTexts(value, text => withoutPrivate(text).text) as typeof value
    expect(JSON.stringify(clean)).not.toMatch(/cf_live_|cf_sess_|@|example/)
    expect(clean).toMatchObject({ n: 1, none: null })
  }
})
