/** The bytes that `text` encodes; null if it is not the strict encoding (RFC 4648 with padding). */
export function strictBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}
