// Keeps credentials out of addresses, messages, log lines and stored documents.
const secretNames = /^(?:api[-_]?(?:token|key)|access[-_]?token|auth[-_]?token|token|key|crumb|password|secret|signature|sig)$/i

/** The address without credential parameters, user part and fragment; everything else keeps its bytes and order. */
export function redactUrl(address: string): string {
  const url = URL.parse(address)
  if (url === null) return '(not an address)'
  const kept = url.search
    .slice(1)
    .split('&')
    .filter(pair => !secretNames.test(decodeName(pair.split('=', 1)[0] ?? '')))
  const search = kept.length === 0 || kept[0] === '' ? '' : `?${kept.join('&')}`
  return `${url.protocol}//${url.host}${url.pathname}${search}`
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name // a lone percent sign: compared unchanged
  }
}

/** `text` with every secret in it, plain or percent-encoded, replaced. */
export function redactText(text: string, secrets: readonly string[]): string {
  let clean = text.replace(/\b(api[-_]?(?:token|key)|access[-_]?token|token)=[^&\s"'<>]{1,500}/gi, '$1=***')
  for (const secret of secrets) {
    for (const form of new Set([secret, encodeURIComponent(secret)])) clean = clean.replaceAll(form, '***')
  }
  return clean
}

/** The same bytes with every occurrence of a secret overwritten by `*`: some upstreams print the key in their errors. */
export function redactBytes(body: Uint8Array, secrets: readonly string[]): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  let copy: Buffer | null = null
  for (const secret of secrets) {
    const needle = Buffer.from(secret)
    for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) {
      copy ??= Buffer.from(bytes)
      copy.fill('*', at, at + needle.length)
    }
  }
  return copy ?? body
}

/** Headers as stored with a document: one string each, without those that identify a session. */
export function keptHeaders(headers: Readonly<Record<string, string | string[] | undefined>>, secrets: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of Object.keys(headers).sort()) {
    const value = headers[name]
    if (value === undefined || /^(?:set-cookie2?|authorization|proxy-.*|www-authenticate)$/i.test(name)) continue
    kept[name.toLowerCase()] = redactText(Array.isArray(value) ? value.join(', ') : value, secrets)
  }
  return kept
}
