// `/r/{receipt}`: what a receipt states, each check with its result, and verification in the browser. `/receipts`: check a file.
import { question } from '#schemas/operations/operation.ts'
import { text } from '#schemas/operations/parameters.ts'
import type { ReceiptSource, VerifyAnswer } from '#schemas/receipts.ts'
import { instant, number } from '../components/format.ts'
import { badge, missing, notice, statusOf } from '../components/notice.ts'
import { onceOf } from '../components/once.ts'
import { filingPath, pageHead, section } from '../components/parts.ts'
import { refusalFaults } from '../components/submit.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { channelsOf } from '../components/watch-channels.ts'
import { type Content, type Html, html } from '../html.ts'
import { page, pageForm } from '../page.ts'
import { WatchFields, watchSection } from './watch-form.ts'

const checkWords = [
  ['canonical', 'The statement has the one form that is signed (RFC 8785)'],
  ['id', 'The receipt id follows from the statement'],
  ['signature', 'The signature is that of the key (Ed25519)'],
  ['key_in_range', 'The key was valid for this release'],
  ['payload_available', 'The answer is stored'],
  ['payload_hash', 'The stored answer has the signed hash'],
] as const
const reproductions = {
  documents: 'from the raw documents that the statement lists',
  release: 'from the files of its release; the documents are too many to list',
  none: 'not possible: only a hash of the request is kept',
} as const

/**
 * The part of the page that verifies without the service. It is hidden until its module runs. `bundle`: address of this receipt's file;
 * `witnesses`: verifier keys of those that cosigned it.
 */
function checker(bundle: string | null, witnesses: readonly string[] = []): Html {
  return section({
    id: 'browser',
    title: 'Verify in this browser',
    lead: 'The check runs on this device with the Web Cryptography API. A file that you choose is not sent anywhere.',
    body: html`<div data-receipt-check data-witnesses="${witnesses.join(' ')}" hidden>
${bundle !== null && html`<p><button type="button" data-bundle="${bundle}">Verify this receipt here</button></p>`}
<div class="field"><label for="receipt-file">A receipt file (<code>.receipt.json</code>): choose it, or drop it here</label><input id="receipt-file" type="file" accept=".json,application/json"></div>
<div data-result role="status"></div></div>
<noscript><p>This check needs JavaScript. Without it: <code>node verify-offline.mjs FILE</code>.</p></noscript>`,
  })
}

export const receiptsPage = page('/receipts', 'Receipts', {
  summary: 'Check a receipt file in this browser, without sending it, against the public keys of this service.',
  width: 'text',
  question: question({ id: text('a receipt id', 64, 'r1_').optional() }),
  operations: ['list_receipt_keys'],
  async render({ question: { id }, ask }) {
    if (id !== undefined) return { redirect: `/r/${encodeURIComponent(id)}` }
    const keys = await ask('list_receipt_keys')
    return {
      modules: ['receipt-check'],
      main: html`${pageHead('Receipts', 'A receipt signs the bytes of an answer together with its question, its release and its sources.')}
${section({
  id: 'find',
  title: 'Open a receipt of this service',
  body: html`<form class="inline-form" method="get" action="/receipts"><div class="field"><label for="receipt-id">Receipt id</label><input id="receipt-id" name="id" type="text" maxlength="64" required autocomplete="off" spellcheck="false" placeholder="r1_…"></div><button type="submit">Open</button></form>`,
})}
${checker(null)}
${section({
  id: 'keys',
  title: 'Public keys of this service',
  lead: 'A key id is the RFC 7638 thumbprint of the key.',
  body: keys.ok
    ? table({
        caption: 'Keys with their state and the releases that they may sign',
        captionHidden: true,
        columns: ['Key id', 'State', numeric('From release'), numeric('To release')],
        rows: keys.value.keys.map(key => [
          html`<code>${key.kid}</code>`,
          badge(key.status, key.status === 'active' ? 'good' : key.status === 'compromised' ? 'bad' : 'plain'),
          key.valid_from === null ? null : number(key.valid_from),
          key.valid_to === null ? 'open' : number(key.valid_to),
        ]),
        empty: 'The service has no signing key yet.',
      })
    : missing(keys, 'Keys'),
})}`,
    }
  },
})

type Predicate = {
  readonly release: number
  readonly as_of: string
  readonly sources?: readonly ReceiptSource[]
  readonly sources_count?: number
  readonly schema: string
  readonly transform: string
  readonly reproduction?: keyof typeof reproductions
  readonly payload: { readonly bytes: number; readonly media_type: string }
}

type ReceiptChecks = Readonly<Record<(typeof checkWords)[number][0] | 'inclusion' | 'checkpoint' | 'cosignatures', unknown>>

type ReceiptAnswer = Pick<VerifyAnswer, 'reproduced' | 'reproduced_reason' | 'manifest'> & { readonly checks: ReceiptChecks }

function checksSection({ checks, reproduced, reproduced_reason, manifest }: ReceiptAnswer): Html {
  return section({
    id: 'checks',
    title: 'Checks',
    body: table({
      caption: 'Each check with its result',
      captionHidden: true,
      columns: ['Check', tight('Result')],
      rows: [
        ...checkWords.map(([key, label]): Content[] => [label, outcome(checks[key])]),
        [
          'The answer was built again with equal bytes',
          reproduced === null ? html`${badge('not tried')} <span class="soft">${reproduced_reason}</span>` : outcome(reproduced === true),
        ],
        ['The proof leads to the checkpoint of the public log', logOutcome(checks.inclusion)],
        ['A valid key of the log signed the checkpoint', logOutcome(checks.checkpoint)],
        ['The list of files of its release is the one that the log names', manifest === null ? badge('not named') : outcome(manifest.holds)],
        ['Witnesses cosigned a checkpoint of the log', checks.cosignatures === 'none' ? badge('no witness yet') : outcome(checks.cosignatures)],
      ],
    }),
  })
}

type Verified = Pick<VerifyAnswer, 'statement' | 'key_id' | 'log' | 'cosignatures' | 'manifest'>

/** What a receipt states in words, with its key, its place in the log and the files of its release. `path`: the question, if it is a GET. */
function statementSection(id: string, verified: Verified, predicate: Predicate | null, path: string | null): Html {
  const { statement, key_id, log, cosignatures, manifest } = verified
  const name = statement?.subject[0]?.name ?? null
  return section({
    id: 'statement',
    title: 'What it states',
    body:
      predicate === null
        ? html`<p class="empty">The statement cannot be read.</p>`
        : html`<p>The service answered the question <code>${name}</code> from release ${number(predicate.release)}, as of ${instant(predicate.as_of)}, with ${number(predicate.payload.bytes)} bytes whose SHA-256 is <code class="long">${statement?.subject[0]?.digest.sha256}</code>.</p>
${facts([
  ['Signed by key', html`<code class="long">${key_id}</code>`],
  [
    'Place in the log',
    log === null
      ? null
      : html`entry ${number(log.index)} of <code>${log.origin}</code>; <a href="${`/api/v1/data/receipts/proof/${id}`}">proof</a>, <a href="/api/v1/data/receipts/checkpoint">checkpoint</a>`,
  ],
  [
    'Files of its release',
    manifest === null || predicate === null
      ? null
      : html`<code>${`/api/v1/data/bulk/manifests/${predicate.release}.json`}</code> (with a key) has the SHA-256 <code class="long">${manifest.sha256}</code>, as named by entry ${number(manifest.log_index)} of the log`,
  ],
  [
    'Cosigned by witnesses',
    cosignatures.length === 0
      ? null
      : html`${cosignatures.map(({ witness, cosigned_at }) => html`<p><code class="long">${witness}</code>, ${instant(cosigned_at)}</p>`)}`,
  ],
  ['Schema of the answer', html`<code>${predicate.schema}</code>`],
  ['Code that built it', html`<code>${predicate.transform}</code>`],
  ['Can be built again', predicate.reproduction === undefined ? null : reproductions[predicate.reproduction]],
])}
${path !== null && html`<p><a href="${`/answer?${new URLSearchParams({ as: 'json', of: path })}`}">Ask the same question now</a></p>`}`,
  })
}

export const receiptPage = page('/r/{receipt}', 'Receipt', {
  summary: 'What a receipt states in words, each check with its result, the raw sources, and verification in the browser.',
  question: question({ receipt: text('a receipt id', 64, 'r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a') }),
  operations: ['verify_lineage', 'create_receipt_watch'],
  sample: '/r/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a',
  async render({ question: { receipt: id }, ask, session, token, returned }) {
    const found = await ask('verify_lineage', { id }, { seconds: 15 })
    if (!found.ok)
      return {
        main: html`${pageHead('Receipt')}${missing(found, 'This receipt')}<p><a href="/receipts">Check a receipt file</a></p>`,
        status: statusOf(found),
      }
    const { valid, checks, reason, reproduced, reproduced_from, statement, cosignatures, documents } = found.value
    const kinds = new Map(documents.map(each => [each.sha256, each.kind]))
    const predicate = (statement?.predicate ?? null) as Predicate | null
    const name = statement?.subject[0]?.name ?? null
    const path = name === null ? null : (/^GET (\/api\/v1\/\S+)$/.exec(name)?.[1] ?? null)
    const bundle = `/answer?as=json&of=${encodeURIComponent(`/api/v1/data/receipts/${id}/bundle`)}`
    return {
      modules: ['receipt-check'],
      main: html`${pageHead('Receipt', html`<code>${id}</code>`)}
${notice(
  valid ? 'good' : 'bad',
  valid
    ? html`<p><strong>Valid.</strong> The signature, the key and the stored answer fit together${reproduced === true && html`, and the answer was built again, byte for byte, ${reproduced_from === 'documents' ? 'from its raw documents' : 'from the files of its release'}`}.</p>`
    : html`<p><strong>Not valid: <code>${reason}</code>.</strong></p>`,
)}
<div class="panels">
${statementSection(id, found.value, predicate, path)}
${checksSection({ ...found.value, checks })}
${path !== null && watchSection(id, { session, token }, returned)}
${section({
  id: 'sources',
  title: 'Raw sources',
  wide: true,
  lead: predicate?.sources_count !== undefined ? html`${number(predicate.sources_count)} documents; the statement has the hash of their list.` : null,
  body: table({
    caption: 'Documents that the answer was built from',
    captionHidden: true,
    columns: [tight('Source'), 'Document', 'SHA-256'],
    rows: (predicate?.sources ?? []).map(source => [
      ...sourceCells(source, kinds.get(source.sha256) ?? null),
      html`<code class="long">${source.sha256}</code>`,
    ]),
    empty: 'The statement lists no documents.',
    tall: true,
  }),
})}
${checker(
  bundle,
  cosignatures.map(each => each.witness),
)}
${section({
  id: 'offline',
  title: 'Verify without this service',
  body: html`<p>The <a href="${bundle}" download="${id}.receipt.json">receipt file</a> has the statement, the signature, the keys and the answer. <code>node verify-offline.mjs ${id}.receipt.json</code> checks it with Node alone; the client libraries have the same check.</p>`,
})}
</div>`,
    }
  },
  forms: {
    watch: pageForm(WatchFields, async ({ channels, once }, { ask, question: { receipt } }) => {
      const made = await ask('create_receipt_watch', {}, { body: { receipt_id: receipt, channels: channelsOf(channels) }, ...onceOf(once) })
      return made.ok ? { redirect: '/account/receipts?done=watching' } : { faults: refusalFaults(made, ['channels']) }
    }),
  },
})

const logOutcome = (value: unknown): Html => (value === 'not_logged' ? badge('waits for its place') : outcome(value))
const outcome = (value: unknown): Html => (value === null ? badge('nothing to compare') : value === true ? badge('yes', 'good') : badge('no', 'bad'))

/** The source and the document: what it is, and a filing with its page, or the address of an upstream's response if the statement has it. */
const sourceCells = (source: ReceiptSource, kind: string | null): readonly [Content, Content] =>
  'accession' in source
    ? ['SEC EDGAR', html`${kind ?? 'filing'} <a href="${filingPath(source.accession)}">${source.accession}</a>`]
    : [
        source.source,
        html`${kind ?? 'a document whose kind is not known here'}${source.url !== undefined && html`, response of <span class="long">${source.url}</span>`}`,
      ]
