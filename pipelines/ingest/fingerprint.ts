// The name of a quarantine finding: the same finding of the same document has the same name in every run and rebuild.
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import type { Refused } from '../read/parsed.ts'

/** Values in a canonical form: object keys sorted, so that equal records have equal text. */
export function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${stableText(part)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}

export function fingerprintOf(refused: Pick<Refused, 'dataset' | 'reason' | 'subject' | 'record'>, rawSha256: string): string {
  return sha256Hex(stableText([rawSha256, refused.dataset, refused.reason, refused.subject, refused.record])).slice(0, 32)
}
