// Character references of HTML, as browsers decode them; Windows-1252 numbers in the C1 range included (HTML, 13.2.5.80).
import { decodeHTML } from 'entities'

/** The named and numbered ones that make up nearly all of EDGAR's, without a walk through the whole table. */
const frequent: Readonly<Record<string, string>> = {
  '&nbsp;': '\u00a0',
  '&#160;': '\u00a0',
  '&#xA0;': '\u00a0',
  '&amp;': '&',
  '&#38;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
  '&#8217;': '\u2019',
  '&#8216;': '\u2018',
  '&#8220;': '\u201c',
  '&#8221;': '\u201d',
  '&#8211;': '\u2013',
  '&#8212;': '\u2014',
  '&#8226;': '\u2022',
  '&rsquo;': '\u2019',
  '&ldquo;': '\u201c',
  '&rdquo;': '\u201d',
  '&mdash;': '\u2014',
  '&ndash;': '\u2013',
}

/** Text with its character references decoded; an invalid reference is kept unchanged. */
export function decodeEntities(text: string): string {
  let unknown = false
  const decoded = text.replace(/&#?[A-Za-z0-9]{1,31};?/g, reference => {
    const known = frequent[reference]
    if (known === undefined) unknown = true
    return known ?? reference
  })
  // Decoding twice would make `&amp;lt;` a bracket: rare references are decoded from the original text, in one pass.
  return unknown ? decodeHTML(text) : decoded
}
