// What a reader of a table leaves out: refused rows with the reason, and counts of skipped rows. Nothing is omitted without one of them.
import type { DatasetName } from '#schemas/index.ts'
import type { Refused } from './parsed.ts'

export type Omissions = {
  readonly refused: Refused[]
  readonly skipped: Record<string, number>
  readonly skip: (reason: string, rows?: number) => void
  readonly refuse: (reason: string, subject: string, detail: string, record?: Readonly<Record<string, unknown>> | null) => void
}

/** Collects the omissions of one document, of rows that would belong to `dataset`. */
export function createOmissions(dataset: DatasetName): Omissions {
  const refused: Refused[] = []
  const skipped: Record<string, number> = {}
  return {
    refused,
    skipped,
    skip: (reason, rows = 1) => {
      skipped[reason] = (skipped[reason] ?? 0) + rows
    },
    refuse: (reason, subject, detail, record = null) => {
      refused.push({ dataset, reason, detail: `${subject}: ${detail}`, subject, record })
    },
  }
}
