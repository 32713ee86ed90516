// The guides of docs/, which the package contains: their files, groups, titles and links. The order is that of docs/README.md.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainLine, type Resolve, type Section, sectionsOf } from './markdown.ts'

/** The root of the repository or of the installed package. */
const root = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)))

/** Files outside of docs/ that are served with the guides, and the names that they have there. */
const further: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changes',
  'CONTRIBUTING.md': 'contributing',
  'SECURITY.md': 'security',
  'clients/README.md': 'clients',
  'clients/typescript/README.md': 'clients/typescript',
  'clients/python/README.md': 'clients/python',
  'clients/openbb/README.md': 'clients/openbb',
}

export type Guide = {
  /** `market`, `how-to/backfill`: the address without `/docs/`. */
  readonly name: string
  /** The file in the repository. */
  readonly file: string
  readonly title: string
  readonly source: string
  readonly sections: readonly Section[]
}
export type GuideGroup = { readonly title: string; readonly guides: readonly Guide[] }

const nameOf = (file: string): string | null =>
  further[file] ??
  (file === 'docs/README.md' ? null : file.startsWith('docs/') && file.endsWith('.md') ? file.slice('docs/'.length, -'.md'.length) : null)

function guideOf(file: string): Guide | null {
  const name = nameOf(file)
  const path = `${root}/${file}`
  if (name === null || !existsSync(path)) return null
  const source = readFileSync(path, 'utf8')
  const sections = sectionsOf(source)
  return { name, file, title: sections[0]?.heading.text ?? name, source, sections }
}

/** Path in the repository of a link in a file; null for an address or an anchor of the same file. */
const fileOf = (from: string, target: string): string | null =>
  /^[a-z]+:|^#|^\//.test(target) ? null : posix.normalize(posix.join(posix.dirname(from), target.replace(/#.*$/, '')))

/** Groups of guides: the sections of docs/README.md with the files that they link to, and what they do not link to behind them. */
function readGroups(): GuideGroup[] {
  const index = readFileSync(`${root}/docs/README.md`, 'utf8')
  const seen = new Set<string>()
  return sectionsOf(index).map(({ heading, text }) => {
    const files = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(match => fileOf('docs/README.md', match[1] as string))
    const guides = files.flatMap(file => {
      if (file === null || seen.has(file)) return []
      seen.add(file)
      const guide = guideOf(file)
      return guide === null ? [] : [guide]
    })
    return { title: heading.level === 1 ? 'Start' : heading.text, guides }
  })
}

let groups: readonly GuideGroup[] | null = null
/** The guides by group. Files are read once. */
export function guideGroups(): readonly GuideGroup[] {
  groups ??= readGroups().filter(each => each.guides.length > 0)
  return groups
}
export const allGuides = (): readonly Guide[] => guideGroups().flatMap(each => each.guides)
/** Files that the changelog of the documentation shows, if docs/README.md links to them. */
export const findGuide = (name: string): Guide | null => allGuides().find(each => each.name === name) ?? null

export const guidePath = (name: string): string => `/docs/${name}`

/** The address of a link in a guide; null if its target is a file that is not served. */
export const resolveFrom =
  (guide: Guide): Resolve =>
  target => {
    const file = fileOf(guide.file, target)
    if (file === null) return target
    const anchor = /#.*$/.exec(target)?.[0] ?? ''
    if (file === 'docs/README.md') return `/api/v1/public/docs${anchor}`
    const name = nameOf(file)
    return name !== null && findGuide(name) !== null ? `${guidePath(name)}${anchor}` : null
  }

/** The source of a guide with links to other guides that work at the addresses of this service. */
export const markdownOf = (guide: Guide): string =>
  guide.source.replaceAll(/(\]\()([^)\s]+)(\))/g, (whole, before: string, target: string, after: string) => {
    const found = fileOf(guide.file, target) === null ? target : resolveFrom(guide)(target)
    if (found === null || found === target) return whole
    const [path = '', anchor] = found.split('#', 2)
    return `${before}${path.startsWith('/docs/') ? `${path}.md` : path}${anchor === undefined ? '' : `#${anchor}`}${after}`
  })

/** The sentence of the guide that follows its title. */
export function leadOf({ sections }: Guide): string {
  const first = sections[0]?.text.split(/\n\s*\n/).find(each => /^[A-Z]/.test(each.trim())) ?? ''
  return plainLine(/^[\s\S]*?[.:](?=\s|$)/.exec(first.trim())?.[0] ?? first).replaceAll(/\s+/g, ' ')
}
