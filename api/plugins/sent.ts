// Removes values of a request from what is logged about it, because an error may quote any input.
import type { FastifyRequest } from 'fastify'

/** Shorter values are words such as free or push, which also occur in file paths; no credential is that short. */
const leastLength = 6
const mostValues = 2000
/** Headers without personal data; a value that they share with a message is not a secret. */
const plainHeaders = new Set(['host', 'connection', 'content-type', 'content-length', 'accept', 'accept-encoding', 'accept-language'])

/** The text with every value that the request had in headers, cookies, path, query or body replaced by `[sent]`. */
export function withoutSent(text: string, request: Pick<FastifyRequest, 'headers' | 'params' | 'body' | 'rawText' | 'url'>): string {
  const values = new Set<string>()
  const take = (value: string): void => {
    if (value.length >= leastLength && values.size < mostValues) values.add(value)
  }
  for (const [name, value] of Object.entries(request.headers)) {
    if (plainHeaders.has(name)) continue
    const sent = String(value)
    take(sent)
    // A credential after its scheme, and each cookie separately.
    for (const part of sent.split(/[;,\s]+/)) {
      take(part)
      take(part.slice(part.indexOf('=') + 1))
    }
  }
  leaves(request.params, take)
  for (const part of (request.url.split('?')[1] ?? '').split('&')) {
    const value = part.slice(part.indexOf('=') + 1)
    take(value)
    take(decoded(value))
  }
  leaves(typeof request.body === 'object' && request.body !== null ? request.body : textual(request.rawText ?? String(request.body ?? '')), take)
  if (values.size === 0) return text
  const longestFirst = [...values].sort((a, b) => b.length - a.length)
  return text.replaceAll(new RegExp(longestFirst.map(each => RegExp.escape(each)).join('|'), 'gi'), '[sent]')
}

/** Every text in a value; without recursion, because a refused body may be nested deeper than the stack. */
function leaves(value: unknown, take: (text: string) => void): void {
  const open = [value]
  while (open.length > 0) {
    const each = open.pop()
    if (typeof each === 'string') take(each)
    else if (typeof each === 'object' && each !== null) for (const inner of Object.values(each)) open.push(inner)
  }
}
/** The values in a body that is text: JSON, a form or a table. */
function textual(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return [...new URLSearchParams(text).values(), ...text.split(/[\r\n,;]+/)]
  }
}
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
