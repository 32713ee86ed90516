// Documents of filings as text, from the raw submission that this service received.
import { NotFound } from '#schemas/errors.ts'
import { filingSources, unknownFiling } from '#warehouse/answers/filings.ts'
import { findFilingEntities, findFilingVersions } from '#warehouse/datasets/filings/filings.ts'
import { findFilingValues } from '#warehouse/datasets/filings/values.ts'
import { readDocumentInThread } from '#warehouse/documents/filing-document-pool.ts'
import { type RawPlace, rawPlace } from '#warehouse/store/raw/place.ts'
import { readRaw } from '#warehouse/store/raw/raw.ts'
import { calculated } from '../compliance/calculated.ts'
import { documentHandlers } from '../documents/documents.ts'
import type { Handlers } from '../handler.ts'
import type { Serving } from '../serving.ts'
import type { UserTools } from '../users/tools.ts'

/** Handlers of documents that clients send, and of documents of filings. */
export const allDocumentHandlers = (tools: UserTools) => ({
  ...documentHandlers(tools),
  ...filingDocumentHandlers(tools.serving, rawPlace(tools.config.dataFolder, tools.serving.remote)),
})

const filingDocumentHandlers = (serving: Serving, raws: RawPlace): Pick<Handlers, 'get_filing_document'> => ({
  get_filing_document: async ({ accession, document, around, start, length }, { release }) => {
    const { lake } = await serving.releaseContext(release, null)
    const entities = await findFilingEntities(lake, accession, null)
    const [first] = entities
    if (!first) throw unknownFiling({ accession })
    const ciks = [...new Set(entities.map(each => each.cik))].sort()
    const records = await findFilingValues(lake, { accession, form: first.form, ciks }, null)
    const versions = await findFilingVersions(lake, entities, null)
    const held = await submissionOf(
      serving,
      accession,
      first.url,
      [...records, ...versions].map(each => each.raw_sha256),
    )
    if (held === null)
      throw new NotFound(`the document of filing ${accession} is not stored here: only its line of an index was read`, {
        hint: `read it at ${first.url}`,
      })
    const raw = await readRaw(serving.db, raws, held)
    const reply = await readDocumentInThread({
      bytes: raw.body,
      accession,
      records: records.map(each => ({ dataset: each.dataset, line: each.line, document: each.document, values: each.values })),
      document: document ?? null,
      around: around === undefined ? null : namedValue(around),
      start,
      length,
    })
    if ('refused' in reply)
      throw new NotFound(`the document of filing ${accession} cannot be shown: ${reply.refused}`, { hint: `read it at ${first.url}` })
    const { documents, document: shown, places, around_found } = reply.read
    if (shown === null)
      throw new NotFound(`filing ${accession} has no document ${document ?? ''}`, {
        hint: `its documents are ${documents
          .map(each => each.document)
          .filter(each => each !== null)
          .slice(0, 20)
          .join(', ')}`,
      })
    return calculated({
      body: {
        accession,
        form: first.form,
        documents,
        document: shown,
        places,
        around_found,
        raw: { sha256: raw.sha256, bytes: raw.body.byteLength, url: raw.url, retrieved_at: raw.retrieved_at },
      },
      as_of: lake.versionOf(['filings']).committed_at,
      release: lake.release,
      sources: filingSources([{ ...first, raw_sha256: raw.sha256 }]),
    })
  },
})

function namedValue(around: string) {
  const [dataset = '', line = '0', field = ''] = around.split(':')
  return { dataset, line: Number(line), field }
}

/** The newest submission with documents among those that wrote rows of the filing, or at its address. */
async function submissionOf(serving: Serving, accession: string, url: string, hashes: readonly string[]): Promise<string | null> {
  const found = await serving.db
    .selectFrom('raw_document')
    .select(['sha256', 'url'])
    .where(eb => eb.or([eb('url', '=', url), ...(hashes.length === 0 ? [] : [eb('sha256', 'in', [...new Set(hashes)])])]))
    .where('holds_body', '=', true)
    .orderBy('raw_id', 'desc')
    .execute()
  const named = found.filter(each => each.url.includes(accession))
  return (named.find(each => /\.(?:txt|nc)$/.test(each.url)) ?? named[0])?.sha256 ?? null
}
