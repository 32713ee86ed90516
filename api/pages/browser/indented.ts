/** JSON with line breaks and indents. Numbers are not parsed, so their digits stay as sent. */
export function indented(text: string): string {
  const out: string[] = []
  let depth = 0
  let at = 0
  const line = (): string => `\n${'  '.repeat(depth)}`
  while (at < text.length) {
    const letter = text[at] as string
    if (letter === '"') {
      const end = endOfText(text, at)
      out.push(text.slice(at, end))
      at = end
      continue
    }
    if (letter === '{' || letter === '[') {
      const next = /\S/.exec(text.slice(at + 1, at + 64))?.[0]
      if (next === (letter === '{' ? '}' : ']')) {
        out.push(letter, next)
        at = text.indexOf(next, at) + 1
        continue
      }
      depth += 1
      out.push(letter, line())
    } else if (letter === '}' || letter === ']') {
      depth = Math.max(0, depth - 1)
      out.push(line(), letter)
    } else if (letter === ',') out.push(',', line())
    else if (letter === ':') out.push(': ')
    else if (!/\s/.test(letter)) out.push(letter)
    at += 1
  }
  return out.join('')
}

/** The place behind the text literal that begins at `start`. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return text.length
}
