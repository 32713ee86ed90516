import type { Submission } from '../filings/sgml.ts'
import type { Fact } from '../parsed.ts'
import type { ProspectusContext } from './parse.ts'
export function instanceFacts(_submission: Submission, _context: ProspectusContext): Fact<'offering_financials'>[] { return [] }
