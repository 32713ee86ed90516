// `/operator/receipts`: the keys that sign receipts, the receipt log with its witnesses, and samples computed again; rotate, revoke, continue.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { faultList, focusOf, formToken, inputField } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { badge, notice } from '../components/notice.ts'
import { onceField, onceOf } from '../components/once.ts'
import { section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page, pageForm, type Returned } from '../page.ts'
import { counted } from '../words.ts'
import { done, jobPath, opened, operatorHead, relative } from './frame.ts'

type Receipts = AnswerOf<'get_admin_receipts'>
type Key = Receipts['keys'][number]
const field = z.string().max(200).default('')
const tones = { active: 'good', pending: 'info', retired: 'plain', compromised: 'bad' } as const

export const operatorReceiptsPage = page('/operator/receipts', 'Receipts and keys', {
  summary: 'The keys that sign receipts, with rotation and revocation, the receipt log with its witnesses, and samples computed again.',
  access: 'admin',
  question: question({ done }),
  operations: ['get_admin_receipts', 'rotate_signing_key', 'revoke_signing_key', 'continue_receipt_log', 'run_job'],
  async render({ ask, question: { done }, token, returned, now }) {
    const found = await ask('get_admin_receipts')
    return {
      main: html`${operatorHead('Receipts and keys', '/operator/receipts', { lead: html`The public halves are at <a href="/api/v1/receipts/keys">/api/v1/receipts/keys</a>; the private ones stay in the keys folder of the worker.`, done })}
${opened(found, 'Receipts', value => [
  signingNotice(value),
  keysSection(value, now),
  rotateSection(value, token, returned),
  revokeSection(value, token, returned),
  logSection(value, token, returned),
  witnessSection(value, now),
  samplesSection(value, token, returned, now),
])}`,
    }
  },
  forms: {
    rotate: pageForm(z.object({ active: field, sure: field, once: field }), async ({ active, sure, once: key }, { ask }) => {
      if (sure !== 'yes') return { faults: { sure: 'Tick the box to rotate the key.' } }
      const done = await ask('rotate_signing_key', {}, { body: { active: active === '' ? null : active }, seconds: 12, ...onceOf(key) })
      if (!done.ok) return { faults: refusalFaults(done, []) }
      return { redirect: `/operator/receipts?done=${done.value.state === 'applied' ? 'rotated' : 'requested'}` }
    }),
    revoke: pageForm(z.object({ kid: field, from: field, confirm: field, once: field }), async ({ kid, from, confirm, once: key }, { ask }) => {
      const faults = {
        ...(/^[\w-]{20,64}$/.test(kid.trim()) ? {} : { kid: 'Choose the key by its whole id.' }),
        ...(from.trim() === '' ? { from: 'Give the earliest time at which another person may have had the key, or now.' } : {}),
        ...(confirm.trim() !== kid.trim() || kid.trim() === ''
          ? { confirm: 'Type the whole id of the key again: a revocation cannot be undone.' }
          : {}),
      }
      if (Object.keys(faults).length > 0) return { faults }
      const body = { from: from.trim(), confirm: confirm.trim() }
      const done = await ask('revoke_signing_key', { kid: kid.trim() }, { body, seconds: 12, ...onceOf(key) })
      if (!done.ok) return { faults: refusalFaults(done, ['from', 'confirm']) }
      return { redirect: `/operator/receipts?done=${done.value.state === 'applied' ? 'revoked' : 'requested'}` }
    }),
    continue: pageForm(z.object({ once: field }), async ({ once: key }, { ask }) => {
      const done = await ask('continue_receipt_log', {}, { seconds: 12, ...onceOf(key) })
      if (!done.ok) return { faults: refusalFaults(done, []) }
      return { redirect: `/operator/receipts?done=${done.value.state === 'applied' ? 'continued' : 'requested'}` }
    }),
    sample: pageForm(z.object({ once: field }), async ({ once: key }, { ask }) => {
      const sent = await ask('run_job', { name: 'reproduce-sample' }, { body: {}, seconds: 12, ...onceOf(key) })
      if (!sent.ok) return { faults: refusalFaults(sent, []) }
      return { redirect: `/operator/receipts?done=${sent.value.joined ? 'joined' : 'sent'}` }
    }),
  },
})

function signingNotice({ signing, waiting }: Receipts): Content {
  const left =
    waiting > 0 &&
    notice(
      'warn',
      html`${counted(waiting, 'receipt')} of revoked keys still ${waiting === 1 ? 'needs' : 'need'} a second signature: a running worker signs ${waiting === 1 ? 'it' : 'them'}.`,
    )
  if (signing === null) return [notice('warn', 'No worker answered: whether answers are signed, and which private keys it has, is not known.'), left]
  if (signing.fault !== null)
    return [notice('bad', html`<p><strong>Answers are not signed:</strong> ${signing.fault.message}. ${signing.fault.hint}.</p>`), left]
  return [notice('good', 'Answers are signed.'), left]
}

const keysSection = ({ keys, signing, receipts }: Receipts, now: Date): Html =>
  section({
    id: 'keys',
    title: 'Signing keys',
    tools: html`${counted(receipts, 'receipt')}`,
    body: table({
      caption: 'Keys that sign receipts, oldest first',
      captionHidden: true,
      columns: ['Key', 'State', tight('Created'), numeric('From release'), numeric('To'), numeric('Receipts'), 'Private half'],
      rows: keys.map(key => [
        html`<code class="long">${key.kid}</code>`,
        html`${badge(key.status, tones[key.status])}${key.compromised_from !== null && html`<br><span class="small">void from ${key.compromised_from === '-infinity' ? 'the beginning' : instant(key.compromised_from)}</span>`}`,
        relative(key.created_at, now),
        key.valid_from === null ? '' : number(key.valid_from),
        key.valid_to === null ? '' : number(key.valid_to),
        number(key.receipts),
        signing === null
          ? null
          : signing.held.includes(key.kid)
            ? 'in the keys folder'
            : key.status === 'active'
              ? html`${badge('missing', 'bad')}`
              : 'not there',
      ]),
      empty: 'No key yet: the first signed answer creates one.',
    }),
  })

const activeKey = (keys: readonly Key[]): Key | undefined => keys.find(key => key.status === 'active')

function rotateSection({ keys }: Receipts, token: string | null, returned: Returned | null): Html {
  const active = activeKey(keys)
  const faults = faultsIn(returned, 'rotate')
  return section({
    id: 'rotate',
    title: 'Rotate',
    lead: 'A new key signs from now on; the receipts of the present one stay valid. For a planned change, or if the key was lost and no other person has it. If another person may have it, revoke it.',
    body: html`<form method="post" action="/operator/receipts/rotate#rotate" novalidate>${formToken(token)}${onceField()}<input type="hidden" name="active" value="${active?.kid ?? ''}">${faultList('rotate', faults)}
<label class="box" for="rotate-sure"><input id="rotate-sure" name="sure" type="checkbox" value="yes"${faults['sure'] !== undefined && html` aria-invalid="true" aria-describedby="rotate-sure-fault" autofocus`}> <span>${active === undefined ? 'Sign with a new key' : html`Retire <code>${active.kid.slice(0, 12)}…</code> and sign with a new key`}</span></label>
${faults['sure'] !== undefined && html`<p class="fault" id="rotate-sure-fault">${faults['sure']}</p>`}
<p class="actions"><button type="submit" class="quiet">Rotate the key</button></p></form>
<p class="small">Afterwards back the keys folder up: <code>crossfile backup --keys</code>. Workers on other machines need a copy of the new key: <code>crossfile signing-keys import</code>.</p>`,
  })
}

function revokeSection({ keys }: Receipts, token: string | null, returned: Returned | null): Content {
  const faults = faultsIn(returned, 'revoke')
  const form = { form: 'revoke', faults, focus: Object.keys(faults).length === 0 ? null : focusOf(faults, 'kid') }
  const typed = (name: string): string => typedIn(returned, 'revoke', name)
  return (
    keys.length > 0 &&
    section({
      id: 'revoke',
      title: 'Revoke',
      lead: 'For a key that another person may have. Its signatures from the time on are invalid; receipts that were stored before stay valid and are signed again. If it signs now, a new key takes its place. This cannot be undone.',
      body: html`<details${returned?.form === 'revoke' && html` open`}><summary>Revoke a key</summary><form method="post" action="/operator/receipts/revoke#revoke" novalidate>${formToken(token)}${onceField()}${faultList('revoke', faults)}
${inputField({ ...form, name: 'kid', label: 'Id of the key', attributes: html` maxlength="64" autocomplete="off" spellcheck="false" list="revoke-keys" required` }, typed('kid'))}
<datalist id="revoke-keys">${keys.map(key => html`<option value="${key.kid}">${key.status}</option>`)}</datalist>
${inputField({ ...form, name: 'from', label: 'Stolen since', help: 'The earliest time at which another person may have had it, such as 2026-11-20T14:00:00Z, or now. If you do not know, choose an early time', attributes: html` maxlength="40" autocomplete="off" required` }, typed('from'))}
${inputField({ ...form, name: 'confirm', label: 'Id of the key again', attributes: html` maxlength="64" autocomplete="off" spellcheck="false" required` }, typed('confirm'))}
<p><button type="submit" class="danger">Revoke this key</button></p></form></details>`,
    })
  )
}

function logSection({ log }: Receipts, token: string | null, returned: Returned | null): Html {
  return section({
    id: 'receipt-log',
    title: 'Receipt log',
    tools: html`<a href="/api/v1/data/receipts/checkpoint">Checkpoint</a>`,
    body: [
      faultList('continue', faultsIn(returned, 'continue')),
      log.fault !== null &&
        notice(
          'bad',
          html`<p><strong>The log is not signed:</strong> ${log.fault.message}. ${log.fault.hint}.</p>
<form method="post" action="/operator/receipts/continue#receipt-log">${formToken(token)}${onceField()}<p><button type="submit" class="quiet">Continue the log</button></p></form>`,
        ),
      facts([
        ['Log', log.origin === null ? 'not begun: a worker begins it with the first receipt' : html`<span class="long">${log.origin}</span>`],
        ['Entries', number(log.size)],
        ['Waiting', counted(log.waiting, 'receipt')],
        ['Signed', log.fault === null ? 'yes' : 'no'],
      ]),
      log.keys.length > 0 &&
        html`<h3 id="log-keys">Keys for the operators of witnesses</h3><pre tabindex="0" role="group" aria-labelledby="log-keys"><code>${log.keys.join('\n')}</code></pre>`,
    ],
  })
}

const witnessSection = ({ log: { witnesses } }: Receipts, now: Date): Html =>
  section({
    id: 'witnesses',
    title: 'Witnesses',
    lead: html`They cosign checkpoints, so that the log cannot be forked unnoticed. <code>CROSSFILE_WITNESSES</code> of the worker lists them.`,
    body: table({
      caption: 'Witnesses with what they cosigned',
      captionHidden: true,
      columns: ['Witness', 'State', tight('Since'), numeric('Cosigned'), tight('Last')],
      rows: witnesses.map(each => [
        html`${each.name}<br><span class="small long">${each.url}</span>`,
        html`${badge(each.state, each.state === 'ok' ? 'good' : each.state === 'waiting' ? 'plain' : 'bad')}${each.detail !== null && html`<br><span class="small">${each.detail}</span>`}`,
        relative(each.state_since, now),
        number(each.size),
        each.succeeded_at === null ? 'never' : relative(each.succeeded_at, now),
      ]),
      empty: 'No witness is set.',
    }),
  })

function samplesSection({ reproductions }: Receipts, token: string | null, returned: Returned | null, now: Date): Html {
  return section({
    id: 'samples',
    title: 'Computed again',
    lead: 'Each night a random sample of the signed answers is computed again from raw documents, and the bytes are compared.',
    tools: html`<form method="post" action="/operator/receipts/sample#samples">${formToken(token)}${onceField()}<button type="submit" class="quiet small">Draw a sample now</button></form> <a href="${jobPath('reproduce-sample')}">Runs</a>`,
    body: [
      faultList('sample', faultsIn(returned, 'sample')),
      table({
        caption: 'Samples, newest first',
        captionHidden: true,
        columns: ['Seed', tight('Began'), 'Result', numeric('Receipts'), numeric('Equal'), numeric('Different'), numeric('Not possible')],
        rows: reproductions.map(each => [
          html`<code>${each.seed}</code>`,
          relative(each.started_at, now),
          each.different > 0 ? badge('different', 'bad') : each.ended_at === null ? badge('not finished', 'warn') : badge('equal', 'good'),
          number(each.size),
          number(each.equal),
          number(each.different),
          number(each.not_possible),
        ]),
        empty: 'No sample was drawn yet.',
      }),
    ],
  })
}
