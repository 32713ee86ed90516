// Why an answer from filings is empty, or how far back it reaches. Distinguishes no filing, filings not read and filings not
// loaded.
import { z } from 'zod'
import { IsoDate, Text } from './values.ts'

/**
 * `read`: rows come from filings that were read. `none`: everything that is loaded was searched and there is nothing. `not_read`: filings
 * are listed whose content was not read. `not_loaded`: the index of filings does not reach far enough back. `home_country`,
 * `foreign_private_issuer`: the law requires no such filing. `unknown_filer`: no CIK is known for the request.
 */
export const CoverageStatus = z.enum(['read', 'none', 'not_read', 'not_loaded', 'home_country', 'foreign_private_issuer', 'unknown_filer'])
export const Coverage = z
  .object({
    status: CoverageStatus,
    sentence: Text,
    from: IsoDate.nullable().describe('first day that the answer covers; null if nothing was loaded'),
  })
  .describe('the scope of the answer and, if it is empty, the reason')
export type Coverage = z.infer<typeof Coverage>
