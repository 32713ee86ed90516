import { describe, expect, it } from 'vitest'
import { dataScript, html, join, trusted } from './html.ts'

describe('the html tag', () => {
  it('escapes text in elements and attributes', () => {
    expect(String(html`<p title="${'a"b'}">${"<script>&'"}</p>`)).toBe('<p title="a&quot;b">&lt;script&gt;&amp;&#39;</p>')
  })
  it('prints HTML as it is, numbers, and lists without a separator', () => {
    expect(String(html`${html`<b>x</b>`}${7}${['a', [trusted('<i>')]]}`)).toBe('<b>x</b>7a<i>')
    expect(String(join(['a', html`<br>`, '<'], ', '))).toBe('a, <br>, &lt;')
  })
  it('prints nothing for null, undefined and false', () => {
    expect(String(html`[${null}${undefined}${false}${''}]`)).toBe('[]')
  })
  it.each([
    ['javascript:alert(1)', '#'],
    ['JAVASCRIPT:alert(1)', '#'],
    ['data:text/html,x', '#'],
    ['//evil.example/x', '#'],
    ['/\\evil.example', '#'],
    ['/c/GLPR.TO?a=1&b=2', '/c/GLPR.TO?a=1&amp;b=2'],
    ['https://www.sec.gov/x', 'https://www.sec.gov/x'],
    ['#part', '#part'],
  ])('an address %s is printed as %s', (given, printed) => {
    expect(String(html`<a href="${given}">`)).toBe(`<a href="${printed}">`)
  })
  it('refuses an attribute value without quotes', () => {
    expect(() => html`<p class=${'x'}>`).toThrow(/needs quotes/)
    expect(() => html`<p id="a" class=${'x'}>`).toThrow(/needs quotes/)
    expect(String(html`<a href="/x?a=${1}&amp;b=${2}">c=${3}</a>`)).toBe('<a href="/x?a=1&amp;b=2">c=3</a>')
  })
  it('cannot be ended by data in a block of JSON', () => {
    const printed = String(dataScript({ text: '</script><script>' }))
    expect(printed.match(/<\/script>/g)).toHaveLength(1)
    expect(JSON.parse(/>(.*)<\/script>/.exec(printed)?.[1] ?? '')).toEqual({ text: '</script><script>' })
  })
})
