// Style sheet, browser modules and chart libraries as files with a content hash in their name. Nothing is built: TypeScript modules have
// their types removed when they are first requested, libraries are served from their packages.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { findPackageJSON, stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { NotFound } from '#schemas/errors.ts'

export type Asset = { readonly path: string; readonly body: Buffer; readonly media_type: string }

const script = 'text/javascript; charset=utf-8'
/** Parts of the style sheet, in this order. */
const sheets = ['base.css', 'layout.css', 'components.css', 'chart.css', 'forms.css', 'pages.css', 'filings.css', 'docs.css'] as const
/** Modules that a page may name; each is `browser/<name>.ts`. */
const browserModules = [
  'search',
  'price-chart',
  'line-chart',
  'screener',
  'receipt-check',
  'job-progress',
  'run-log',
  'filing',
  'docs',
  'csv-file',
  'known-slider',
  'assistant',
] as const
export type BrowserModule = (typeof browserModules)[number]

/** Packages that browser modules import, with the file that is served. `uplot` is minified only as a script that declares a variable. */
const libraries: Readonly<Record<string, { readonly file: string; readonly ending: string }>> = {
  'lightweight-charts': { file: 'dist/lightweight-charts.standalone.production.mjs', ending: '' },
  uplot: { file: 'dist/uPlot.iife.min.js', ending: '\nexport default uPlot;\n' },
}

const own = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
function fileOfPackage(name: string, file: string): string {
  const manifest = findPackageJSON(name, import.meta.url)
  if (manifest === undefined) throw new TypeError(`the package ${name} is not installed`)
  return readFileSync(join(dirname(manifest), file), 'utf8')
}

const byPath = new Map<string, Asset>()
const addresses = new Map<string, string>()

/** Adds an asset and returns its address: `/assets/<name>.<hash>.<ending>`. */
function add(name: string, ending: string, text: string, media_type: string): string {
  const body = Buffer.from(text)
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  const path = `/assets/${name}.${hash}.${ending}`
  byPath.set(path, { path, body, media_type })
  return path
}

function addressOf(key: string, make: () => string): string {
  const known = addresses.get(key)
  if (known !== undefined) return known
  const made = make()
  addresses.set(key, made)
  return made
}

/** Address of the one style sheet of all pages. */
export const styleAddress = (): string =>
  addressOf('style', () =>
    add(
      'crossfile',
      'css',
      [...sheets.map(sheet => own(`./styles/${sheet}`)), fileOfPackage('uplot', 'dist/uPlot.min.css')].join('\n'),
      'text/css; charset=utf-8',
    ),
  )
export const iconAddress = (): string => addressOf('icon', () => add('icon', 'svg', own('./styles/icon.svg'), 'image/svg+xml'))
/** Address of a browser module; the modules and libraries that it imports get addresses too. */
export const moduleAddress = (name: BrowserModule): string => moduleOf(`${name}.ts`)

/** A module without its types. Node warns that its function is experimental, at every start: operators cannot act on that. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source, { mode: 'strip' })
  } finally {
    process.emitWarning = emitWarning
  }
}

function moduleOf(file: string): string {
  return addressOf(file, () => {
    const source = withoutTypes(own(`./browser/${file}`))
    const linked = source.replaceAll(/(\bfrom\s*|^import\s*)'([^']+)'/gm, (_all, before: string, name: string) => {
      const target = name.startsWith('./') ? moduleOf(name.slice(2)) : libraryOf(name)
      return `${before}'${target}'`
    })
    return add(file.replace(/\.ts$/, ''), 'js', linked.replaceAll(/[ \t]+$/gm, ''), script)
  })
}
function libraryOf(name: string): string {
  const library = libraries[name]
  if (!library) throw new TypeError(`no library ${name} is served to browsers`)
  return addressOf(name, () => add(name, 'js', fileOfPackage(name, library.file).replace(/\n\/\/# sourceMappingURL=.*/, '') + library.ending, script))
}

/** The asset at a path. Throws NotFound for an address of another version. */
export function findAsset(path: string): Asset {
  styleAddress()
  iconAddress()
  for (const name of browserModules) moduleAddress(name)
  const found = byPath.get(path)
  if (!found) throw new NotFound('this file does not exist in the running version', { hint: 'reload the page that links to it' })
  return found
}
