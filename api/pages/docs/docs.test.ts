// The documentation: a page for every operation, samples that fit the operations, guides whose links lead somewhere, and the search.
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#schemas/operations.ts'
import { buildApp } from '../../app.ts'
import { aKey, fakes, keyList } from '../../fakes.ts'
import { indented } from '../browser/indented.ts'
import { fieldsOf } from './fields.ts'
import { operationPath } from './frame.ts'
import { allGuides, guidePath, markdownOf } from './guides.ts'
import { renderMarkdown } from './markdown.ts'
import { parameterRows } from './operation-parts.ts'
import { exampleParameters, hasSpreadsheetForm, spreadsheetAddress } from './samples.ts'
import { nearestWord, searchDocs } from './search-index.ts'

let app: FastifyInstance
const key = aKey()
beforeAll(async () => {
  app = await buildApp(fakes({ keys: keyList(key) }))
})
afterAll(() => app.close())
const get = (url: string) => app.inject({ method: 'GET', url, headers: { accept: 'text/html' } })
const unescape = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

describe('the first page', () => {
  it('has a place and a link for every operation, and nothing inline', async () => {
    const { body, headers } = await get('/api/v1/public/docs')
    for (const { id } of operations) {
      expect(body).toContain(`<li id="${id}">`)
      expect(body).toContain(`href="${operationPath(id)}"`)
    }
    expect(String(headers['content-security-policy'])).toContain("default-src 'none'; script-src 'self'")
    expect(body).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i)
    const ids = [...body.matchAll(/\sid="([^"]+)"/g)].map(match => match[1])
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('the page of an operation', () => {
  it('explains every parameter and lists every field, for all operations, and has a Markdown twin', async () => {
    for (const operation of operations) {
      const [page, twin] = await Promise.all([get(operationPath(operation.id)), get(`${operationPath(operation.id)}.md`)])
      expect([operation.id, page.statusCode, twin.statusCode, twin.headers['content-type']]).toEqual([
        operation.id,
        200,
        200,
        'text/markdown; charset=utf-8',
      ])
      const text = unescape(page.body)
      expect(text).toContain(operation.path.replaceAll(/\{(\w+)\}/g, '<i>{$1}</i>'))
      for (const { name, meaning } of parameterRows(operation)) {
        expect(text).toContain(`<code>${name}</code>`)
        expect([operation.id, name, meaning.length > 3]).toEqual([operation.id, name, true])
        expect(twin.body).toContain(`\`${name}\``)
      }
      for (const { name } of operation.answer === null ? [] : fieldsOf(operation.answer)) expect(twin.body).toContain(`\`${name}\``)
      const ids = [...page.body.matchAll(/\sid="([^"]+)"/g)].map(match => match[1])
      expect([operation.id, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([operation.id, []])
      for (const [, id] of page.body.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id)
    }
  })
  it('takes its samples from the example request: every parameter is one of the operation', () => {
    for (const operation of operations) {
      const known = parameterRows(operation).map(each => each.name)
      for (const { name } of exampleParameters(operation))
        expect([operation.id, known.includes(name) || operation.id.endsWith('_page')]).toEqual([operation.id, true])
    }
  })
  it('names an address for spreadsheets that answers with CSV', async () => {
    const sheets = operations.filter(hasSpreadsheetForm)
    expect(sheets.length).toBeGreaterThan(40)
    for (const operation of sheets) {
      const response = await app.inject({ method: 'GET', url: spreadsheetAddress(operation, '', key.text) })
      expect([operation.id, response.statusCode, response.headers['content-type']]).toEqual([operation.id, 200, expect.stringMatching(/^text\/csv/)])
    }
  })
  it('is a 404 for an operation that does not exist', async () => {
    expect((await get('/docs/operations/get_nothing')).statusCode).toBe(404)
  })
})

describe('the guides', () => {
  it('are all files of docs/, each as HTML and as Markdown', async () => {
    const folder = new URL('../../../docs/', import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.md') && file !== 'README.md')
    const served = allGuides().map(each => each.file)
    expect(files.map(file => `docs/${file.replaceAll('\\', '/')}`).filter(file => !served.includes(file))).toEqual([])
    for (const guide of allGuides()) {
      const [page, twin] = await Promise.all([get(guidePath(guide.name)), get(`${guidePath(guide.name)}.md`)])
      expect([guide.name, page.statusCode, twin.body === markdownOf(guide)]).toEqual([guide.name, 200, true])
      expect(page.body).toContain('<h1>')
    }
  })
  it('link only to pages of this service and to other hosts, and to headings that exist', async () => {
    const known = new Map<string, string>()
    for (const guide of allGuides()) known.set(guidePath(guide.name), (await get(guidePath(guide.name))).body)
    known.set('/api/v1/public/docs', (await get('/api/v1/public/docs')).body)
    for (const [path, body] of known)
      for (const [, target = ''] of body.matchAll(/href="([^"]*)"/g)) {
        const [page = '', anchor] = target.split('#', 2)
        const there = page === '' ? body : known.get(page)
        if (page.startsWith('/docs/') && !page.endsWith('.md') && !page.startsWith('/docs/operations/'))
          expect([path, target, there !== undefined]).toEqual([path, target, true])
        if (anchor !== undefined && anchor !== '' && there !== undefined)
          expect([path, target, there.includes(`id="${anchor}"`)]).toEqual([path, target, true])
        expect([path, target, /^[#/]|^https?:|^mailto:/.test(target)]).toEqual([path, target, true])
      }
  })
})

describe('Markdown', () => {
  const show = (source: string): string => renderMarkdown(source, target => (target.endsWith('.ts') ? null : target)).toString()
  it.each([
    ['a *b* **c** `d*e*`', '<p>a <em>b</em> <strong>c</strong> <code>d*e*</code></p>'],
    ['[a](b.md) [`c`](d.ts)', '<p><a href="#">a</a> <code>c</code></p>'],
    ['[a](/b)', '<p><a href="/b">a</a></p>'],
    ['<script>x</script>', '<p>&lt;script&gt;x&lt;/script&gt;</p>'],
    ['- a\n  b\n- c\n  - d', '<ul><li>a\nb</li>\n<li>c<ul><li>d</li>\n</ul>\n</li>\n</ul>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li>\n<li>b</li>\n</ol>'],
    ['> a\n> b', '<blockquote><p>a\nb</p>\n</blockquote>'],
    ['<!-- x -->\na', '<p>a</p>'],
  ])('%s', (source, expected) => {
    expect(show(source).trim()).toBe(expected)
  })
  it('keeps code as it is, with text that looks like a heading', () => {
    expect(show('```sh\n# a <b>\n```')).toContain('<pre tabindex="0"><code># a &lt;b&gt;</code></pre>')
  })
  it('keeps a bar inside a cell', () => {
    expect(show('| a | b |\n| --- | --- |\n| `x|y` | c \\| d |')).toContain('<td><code>x|y</code></td><td>c | d</td>')
  })
})

describe('the search', () => {
  it('finds operations by field and parameter, and sections of guides', () => {
    expect(searchDocs('end-of-day bars')[0]?.path).toBe('/docs/operations/get_eod')
    expect(searchDocs('adjusted close').some(each => each.path.startsWith('/docs/adjusted-close'))).toBe(true)
    expect(searchDocs('IMPORTDATA').some(each => each.path.startsWith('/docs/how-to/spreadsheets-and-notebooks'))).toBe(true)
  })
  it('says when nothing is found, and names a word that is near', async () => {
    expect(nearestWord('reciept')).toBe('receipt')
    const { body } = await get('/docs?q=reciept')
    expect(body).toContain('Nothing was found.')
    expect(body).toContain('<a href="/docs?q=receipt">receipt</a>')
  })
  it('shows what was typed as text', async () => {
    expect((await get(`/docs?q=${encodeURIComponent('<img src=x>')}`)).body).not.toContain('<img')
  })
})

describe('/llms.txt', () => {
  it('lists Markdown addresses that exist', async () => {
    const { body, headers } = await get('/llms.txt')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    const addresses = [...body.matchAll(/\]\(([^)]+\.md)\)/g)].map(match => new URL(match[1] ?? '').pathname)
    expect(addresses.length).toBeGreaterThan(180)
    for (const address of addresses) expect([address, (await get(address)).statusCode]).toEqual([address, 200])
  })
})

describe('answers in the page', () => {
  it('are indented with every digit kept', () => {
    const text = '{"a":1.50,"b":[],"c":{"d":"x,\\"y{"},"e":[1,2.00]}'
    expect(indented(text)).toBe('{\n  "a": 1.50,\n  "b": [],\n  "c": {\n    "d": "x,\\"y{"\n  },\n  "e": [\n    1,\n    2.00\n  ]\n}')
    const example = readFileSync(new URL('../../../schemas/operations/examples.json', import.meta.url), 'utf8')
    expect(JSON.parse(indented(example))).toEqual(JSON.parse(example))
  })
})
