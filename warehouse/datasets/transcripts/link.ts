// The address of a moment in a recording.

/**
 * `url` at the second of `ms`: `t=` in the query on YouTube (`t=83s`), and a media fragment elsewhere (`#t=83`, W3C Media Fragments; on
 * Vimeo `#t=83s`). Without a time, the plain address.
 */
export function linkAt(url: string, ms: number | null): string {
  const parsed = URL.parse(url)
  if (ms === null || !parsed) return url
  const seconds = Math.floor(ms / 1000)
  const host = parsed.hostname.replace(/^(?:www|m|player)\./, '')
  if (host === 'youtube.com' || host === 'youtu.be') {
    parsed.searchParams.delete('start')
    parsed.searchParams.set('t', `${seconds}s`)
  } else parsed.hash = host === 'vimeo.com' ? `t=${seconds}s` : `t=${seconds}`
  return parsed.href
}
