import type { Prose } from '../documents/prose.ts'
import type { Fact } from '../parsed.ts'
import type { ProspectusContext } from './parse.ts'
import type { Outline } from './sections.ts'
export function financialsIn(_source: string, _prose: Prose, _outline: Outline, _context: ProspectusContext): Fact<'offering_financials'>[] { return [] }
