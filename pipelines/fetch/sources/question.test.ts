import { expect, it } from 'vitest'
import { addressOfAnswer, postAddress, questionAt } from './question.ts'

const graphql = 'https://app-money.tmx.com/graphql'

it('an address of a posted question gives back what is posted, byte for byte', () => {
  const body = { query: 'query q($symbol: String) {\n  a\n}', variables: { symbol: 'NA', text: 'é # %23 post:' } }
  expect(questionAt(postAddress(graphql, body))).toEqual({ url: graphql, body: JSON.stringify(body) })
})
it('an answer is kept behind the address that was asked', () => {
  const address = postAddress(graphql, [{ vectorId: 41690973, latestN: 3 }])
  const { url, body } = questionAt(address)
  expect(addressOfAnswer(url, body)).toBe(address)
  expect(addressOfAnswer(graphql, null)).toBe(graphql)
})
it('a plain address, and one of an archive member, is asked as it stands', () => {
  expect(questionAt('https://x.example/a.zip#CIK1.json')).toEqual({ url: 'https://x.example/a.zip#CIK1.json', body: null })
})
it('refuses a question that no index could hold', () => {
  expect(() => postAddress(graphql, 'x'.repeat(3000))).toThrow('limit 2000')
})
