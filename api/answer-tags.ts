// ETags that need no bytes: an answer that its release and its question decide is named by them, so that 300 KB are not hashed for each, and
// a client that has it is answered 304 before anything is read (section "Caching" of the conventions).
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { basename, dirname } from 'node:path'
import { answerOf, isLakeOperation, type LakeOperation } from '#warehouse/answers/index.ts'
import { type Catalogue, filesName, versionAt } from '#warehouse/store/lake/catalogue.ts'
import { statementsName } from '#warehouse/store/sql-files.ts'
import { codingFor } from './answer-cache.ts'
import { tagsIn } from './conditional.ts'
import type { Format } from './plugins/formats.ts'

type Requested = { readonly operation: { readonly id: string }; readonly name: string; readonly release: number | null; readonly format: Format }
export type AnswerTags = {
  /** The tag of an unsigned answer of a release in JSON; null if only its bytes name it. `name`: the canonical question. */
  readonly tagOf: (id: LakeOperation, name: string, release: number) => string | null
  /**
   * The tag of the current answer, as the client names it in If-None-Match: in the coding that it accepts now, or in none, since a cache may
   * use what a 304 names for another client. Null if it names another one, or if only bytes tell.
   */
  readonly heldTag: (requested: Requested, receipt: boolean, headers: IncomingHttpHeaders) => string | null
}

/**
 * The name of the code that makes the answers: compiled programs, whose folder is named by their bytes, and the statements that they have
 * read from the sources. Null for programs that run from their sources, which change under their name.
 */
export function codeName(program: string | undefined): string | null {
  const folder = program === undefined ? '' : dirname(program)
  const isCompiled = basename(dirname(folder)) === 'programs' && /^[0-9a-f]{16}$/.test(basename(folder))
  return isCompiled ? `${basename(folder)} ${statementsName()}` : null
}

/**
 * Tags of answers from the current catalogue. `code`: as `codeName` returns it; null: no answer has such a tag. The files are part of a tag,
 * because the number of a release alone is given again after a backup is restored.
 */
export function answerTags(catalogue: () => Catalogue, code: string | null): AnswerTags {
  function tagOf(id: LakeOperation, name: string, release: number): string | null {
    const { decided_by } = answerOf(id)
    const current = catalogue()
    if (code === null || decided_by === undefined || release > current.release) return null
    const version = versionAt(current, decided_by, release)
    const text = `${code} ${version.committed_at} ${filesName(current, decided_by)} ${name}`
    return `${version.release}-${hash('sha256', text, 'base64url').slice(0, 22)}`
  }
  return {
    tagOf,
    heldTag({ operation: { id }, name, release, format }, receipt, headers) {
      const ifNoneMatch = headers['if-none-match']
      if (ifNoneMatch === undefined || release === null || format !== 'json' || receipt || !isLakeOperation(id)) return null
      const tag = tagOf(id, name, release)
      if (tag === null) return null
      const coding = codingFor(headers['accept-encoding'], Number.POSITIVE_INFINITY)
      const named = tagsIn(ifNoneMatch)
      return [coding === 'identity' ? tag : `${tag}-${coding}`, tag].find(each => named.includes(`"${each}"`)) ?? null
    },
  }
}
