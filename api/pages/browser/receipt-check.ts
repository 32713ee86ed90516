// Verifies receipt files in the browser: the one of this page, or a file that the reader chooses or drops. A chosen file is not sent anywhere.
import { NoVerdict, type Verdict, verifyBundle } from './verify-bundle.ts'

const words: Readonly<Record<string, string>> = {
  canonical: 'The statement has the one form that is signed',
  id: 'The receipt id follows from the statement',
  signature: 'The signature is that of the key',
  key_in_range: 'The key was valid for this release',
  inclusion: 'The proof leads from the receipt to the checkpoint of the log',
  checkpoint: 'A valid key of the log signed the checkpoint',
  cosignatures: 'The witnesses that this page names cosigned the checkpoint',
  payload_available: 'The file contains the answer',
  payload_hash: 'The answer has the signed hash',
}

const otherResults: Readonly<Record<string, string>> = {
  not_logged: 'the file has no log proof',
  none: 'this page names no witness',
  not_checked: 'this page names no witness',
}

const area = document.querySelector<HTMLElement>('[data-receipt-check]')
const result = area?.querySelector<HTMLElement>('[data-result]')
if (area && result) {
  area.hidden = false
  const show = (verdict: Verdict, name: string): void => {
    const head = document.createElement('p')
    const strong = document.createElement('strong')
    strong.textContent = verdict.valid ? 'Valid.' : 'Not valid.'
    head.append(strong, ` ${name}: ${verdict.receipt_id}`)
    const list = document.createElement('ul')
    for (const [check, label] of Object.entries(words)) {
      const value = verdict.checks[check as keyof Verdict['checks']]
      const line = document.createElement('li')
      line.textContent = `${label}: ${value === null ? 'nothing to compare' : typeof value === 'string' ? otherResults[value] : value ? 'yes' : 'no'}`
      list.append(line)
    }
    const question = document.createElement('p')
    if (verdict.statement) {
      const code = document.createElement('code')
      code.textContent = verdict.statement.subject[0].name
      question.append('Question: ', code, `, release ${verdict.statement.predicate.release}, as of ${verdict.statement.predicate.as_of}. `)
    }
    if (verdict.log) question.append(`It is entry ${verdict.log.index} of the log ${verdict.log.origin}. `)
    for (const { witness, cosigned_at } of verdict.cosignatures)
      question.append(`The witness ${witness.split('+')[0]} cosigned its tree at ${cosigned_at}. `)
    question.append(`Signed by the key ${verdict.kid}. Compare it with a key that you know.`)
    result.className = `notice ${verdict.valid ? 'good' : 'bad'}`
    result.replaceChildren(head, list, question)
  }
  // The keys of witnesses that the service names; a reader who does not trust it for them uses verify-offline.mjs --witness.
  const witnesses = { keys: (area.dataset['witnesses'] ?? '').split(' ').filter(key => key !== '') }
  const refuse = (message: string): void => {
    result.className = 'notice bad'
    result.textContent = message
  }
  const check = async (bytes: Uint8Array<ArrayBuffer>, name: string): Promise<void> => {
    try {
      show(await verifyBundle(bytes, { witnesses }), name)
    } catch (error) {
      if (error instanceof NoVerdict) refuse(`${name}: no verdict, because ${error.message}.`)
      else if (error instanceof DOMException && error.name === 'NotSupportedError')
        refuse('This browser cannot verify Ed25519 signatures. Use a newer one, or verify-offline.mjs with Node.')
      else throw error
    }
  }
  const read = async (file: File): Promise<void> => {
    if (file.size > 64 * 1024 * 1024) refuse(`${file.name} is larger than 64 MB.`)
    else await check(new Uint8Array(await file.arrayBuffer()), file.name)
  }
  const input = area.querySelector<HTMLInputElement>('input[type="file"]')
  input?.addEventListener('change', () => {
    const [file] = input.files ?? []
    if (file) void read(file)
  })
  area.addEventListener('dragover', event => event.preventDefault())
  area.addEventListener('drop', event => {
    event.preventDefault()
    const file = event.dataTransfer?.files[0]
    if (file) void read(file)
  })
  const button = area.querySelector<HTMLButtonElement>('button[data-bundle]')
  button?.addEventListener('click', async () => {
    const response = await fetch(button.dataset['bundle'] ?? '')
    if (response.ok) await check(new Uint8Array(await response.arrayBuffer()), 'This receipt')
    else refuse(response.status === 401 ? 'Sign in to load the receipt file.' : `The receipt file could not be loaded (status ${response.status}).`)
  })
}
