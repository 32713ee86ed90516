// The cause of a difference as one line, for mail, pages and the command line.
import type { AnswerCause } from '#schemas/receipt-diff.ts'

export function causeText(cause: AnswerCause): string {
  if (cause.kind === 'restatement')
    return `restatement: ${cause.withdrawn ? 'withdrawn ' : ''}${cause.actions.join(', ')} of ${cause.ex_date}, since release ${cause.release}`
  if (cause.kind === 'correction') return 'correction by the operator'
  if ('accession' in cause) return `${cause.kind === 'new_filing' ? 'new filing' : 'filing of the first answer only:'} ${cause.accession}`
  if ('source' in cause) return `${cause.kind === 'new_document' ? 'new document of' : 'document of the first answer only, of'} ${cause.source}`
  return `${cause.kind}: ${cause.before} -> ${cause.after}`
}
