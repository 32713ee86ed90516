// E-mail addresses in comparable form: one mailbox, one account. Provider-specific rules (dots, +tags) are not applied.
import { domainToASCII } from 'node:url'

/** The canonical form of an address: NFC, lower case, the domain in its ASCII form. */
export function emailKey(email: string): string {
  const text = email.normalize('NFC').trim()
  const at = text.lastIndexOf('@')
  if (at < 0) return text.toLowerCase()
  const domain = text.slice(at + 1)
  return `${text.slice(0, at).toLowerCase()}@${(domainToASCII(domain) || domain).toLowerCase()}`
}
