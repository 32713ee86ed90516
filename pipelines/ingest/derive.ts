// The result of a batch of documents, given what was known before: a pure function of the documents, one release of the lake
// and the operator's decisions. Ingest commits its result; rebuild and a receipt's verification call it again.
import type { DatasetName } from '#schemas/index.ts'
import { actionKey } from '#warehouse/datasets/prices/actions.ts'
import { loadSymbolIndex } from '#warehouse/datasets/symbols/symbol-index.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import type { PackedRows } from '#warehouse/store/lake/packed-rows.ts'
import { deriveBars } from './bars.ts'
import { deriveFactorRows, type IndexOf, symbolsToDerive } from './factors.ts'
import { changedFacts, hasFacts, plainDatasets } from './facts.ts'
import { fingerprintOf } from './fingerprint.ts'
import { deriveSymbols } from './symbols.ts'
import { addRows, type Decisions, type Derived, type ParsedDocument, type RefusedBy, type Row, type RowsByDataset } from './types.ts'

/** `indexOf`: the listings of the lake's release; frequent callers pass a cached one. */
export async function derive(
  documents: readonly ParsedDocument[],
  lake: Lake,
  decisions: Decisions,
  indexOf: IndexOf = () => loadSymbolIndex(lake, null),
): Promise<Derived> {
  const rows: RowsByDataset = new Map()
  const packed = new Map<DatasetName, readonly PackedRows<Row>[]>()
  const refused: RefusedBy[] = []
  const counts: Record<string, number> = {}
  const count = (name: string, by: number): void => {
    if (by > 0) counts[name] = (counts[name] ?? 0) + by
  }
  const derivedFrom = new Set<DatasetName>()

  for (const { origin, parsed } of documents) {
    for (const finding of parsed.refused)
      if (decisions.get(fingerprintOf(finding, origin.sha256))?.decision !== 'rejected') refused.push({ refused: finding, origin })
    for (const [reason, number] of Object.entries(parsed.skipped)) count(reason, number)
  }
  for (const name of plainDatasets) {
    if (!documents.some(document => hasFacts(name, document))) continue
    const changed = await changedFacts(name, documents, lake)
    derivedFrom.add(name)
    addRows(rows, name, changed.rows)
    if (changed.packed.length > 0) packed.set(name, changed.packed)
    refused.push(...changed.refused)
    count('already_held', changed.already)
  }
  const listings = await deriveSymbols(documents, lake, decisions)
  if (listings.symbols.length + listings.sightings.length + listings.refused.length > 0) derivedFrom.add('symbols').add('directory_sightings')
  addRows(rows, 'symbols', listings.symbols)
  addRows(rows, 'directory_sightings', listings.sightings)
  refused.push(...listings.refused)
  for (const [name, number] of Object.entries(listings.counts)) count(name, number)

  const bars = await deriveBars(documents, lake, rows, decisions)
  addRows(rows, 'bars', bars.bars)
  addRows(rows, 'bar_corrections', bars.corrections)
  refused.push(...bars.refused)
  for (const [name, number] of Object.entries(bars.counts)) count(name, number)
  if (documents.some(({ parsed }) => (parsed.bars?.length ?? 0) > 0) || rows.has('split_histories') || rows.has('corporate_actions'))
    derivedFrom.add('bars').add('bar_corrections').add('corporate_actions').add('split_histories').add('symbols')

  const symbols = await symbolsToDerive(lake, rows, decidedSymbols(documents, decisions), bars.resumed)
  const settled: string[] = []
  if (symbols.length > 0) {
    for (const name of ['symbols', 'bars', 'bar_corrections', 'corporate_actions', 'adjustment_factors', 'action_verdicts', 'fx_rates'] as const)
      derivedFrom.add(name)
    const factors = await deriveFactorRows(lake, rows, symbols, decisions, indexOf)
    addRows(rows, 'adjustment_factors', factors.rows)
    addRows(rows, 'action_verdicts', factors.verdicts)
    refused.push(...factors.refused)
    settled.push(...factors.settled)
  }
  return { rows, packed, refused, settled, derivedFrom: [...derivedFrom], counts }
}

/** Symbols whose actions an operator decided on: the documents are unchanged, but the decision is new. */
function decidedSymbols(documents: readonly ParsedDocument[], decisions: Decisions): string[] {
  const subjects = new Set([...decisions.values()].filter(each => each.dataset === 'corporate_actions').map(each => each.subject))
  if (subjects.size === 0) return []
  const actions = documents.flatMap(({ parsed }) => parsed.facts.corporate_actions ?? [])
  return actions.filter(action => subjects.has(actionKey(action))).map(action => action.symbol)
}
