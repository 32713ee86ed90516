// Addresses of mail as they are compared: one mailbox, one account. No provider's habits (dots, +tags) are assumed.
import { domainToASCII } from 'node:url'

/** What two spellings of one address have in common: NFC, lower case, the domain in its ASCII form. */
export function emailKey(email: string): string {
  const text = email.normalize('NFC').trim()
  const at = text.lastIndexOf('@')
  if (at < 0) return text.toLowerCase()
  const domain = text.slice(at + 1)
  return `${text.slice(0, at).toLowerCase()}@${(domainToASCII(domain) || domain).toLowerCase()}`
}
