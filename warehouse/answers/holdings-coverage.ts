// Why an answer about 13Fs has rows or none. "Nothing filed" and "nothing read yet" are different sentences.
import type { Placed } from '../datasets/holdings/effective.ts'
import type { FoundReport } from '../datasets/holdings/holdings.ts'

export type Coverage = {
  readonly status: 'reported' | 'notice' | 'confidential' | 'unreadable' | 'no_report' | 'no_holder' | 'not_read' | 'not_13f_security'
  readonly note: string
}

/** Summary of the filings of a manager's quarter. */
export function coverageOf(placed: readonly Placed<FoundReport>[], quarter: string): Coverage {
  const has = (role: Placed<FoundReport>['role']): boolean => placed.some(each => each.role === role)
  if (has('base') || has('adds')) {
    const partial = placed.some(({ report }) => /COMBINATION/i.test(report.report_type ?? ''))
    const omitted = placed.some(({ report }) => /^(?:true|y)/i.test(report.confidential_omitted ?? ''))
    const failed = has('unreadable')
    return {
      status: 'reported',
      note: `The manager reported its holdings for ${quarter}.${partial ? ' It is a combination report: other managers report the rest.' : ''}${omitted ? ' Some holdings are left out under a request for confidential treatment.' : ''}${failed ? ' One more filing of the quarter could not be read.' : ''}`,
    }
  }
  if (has('unreadable'))
    return { status: 'unreadable', note: `A report for ${quarter} was filed and its table could not be read; it is kept and listed under reports.` }
  if (has('notice'))
    return { status: 'notice', note: `The manager filed a notice for ${quarter}: its holdings are reported by the managers in reported_by.` }
  if (placed.some(({ report }) => report.form.startsWith('13F-CTR')))
    return { status: 'confidential', note: `The manager asked for confidential treatment of its ${quarter} holdings; no table is public.` }
  if (placed.length > 0) return { status: 'not_read', note: `A filing for ${quarter} is known without its information table.` }
  return { status: 'no_report', note: `No 13F of this manager for ${quarter} is known.` }
}
