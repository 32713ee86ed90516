// Reads a secret from the terminal without echo, or the first line of standard input if that is not a terminal.
import { BadRequest } from '#schemas/errors.ts'

/** A longer line is not accepted as a password. */
const longest = 4096

/** Asks for a line. Throws `BadRequest` if none is given; Ctrl-C ends the process as usual. */
export async function askSecret(
  question: string,
  input: NodeJS.ReadStream = process.stdin,
  output: NodeJS.WriteStream = process.stderr,
): Promise<string> {
  if (!input.isTTY) return await firstLine(input)
  output.write(question)
  input.setRawMode(true)
  try {
    return await typed(input)
  } finally {
    input.setRawMode(false)
    input.pause()
    output.write('\n')
  }
}

async function firstLine(input: NodeJS.ReadStream): Promise<string> {
  let text = ''
  input.setEncoding('utf8')
  for await (const part of input) {
    text += part as string
    if (text.includes('\n') || text.length > longest) break
  }
  const [line = ''] = text.split('\n')
  const secret = line.replace(/\r$/, '')
  if (secret === '')
    throw new BadRequest('no password was given', { hint: 'type it on the terminal, or send it as the first line of standard input' })
  return secret
}

function typed(input: NodeJS.ReadStream): Promise<string> {
  input.setEncoding('utf8')
  input.resume()
  return new Promise((resolve, reject) => {
    let text = ''
    const listen = (part: string): void => {
      for (const character of part) {
        if (character === '\u0003') {
          input.off('data', listen)
          process.kill(process.pid, 'SIGINT')
          reject(new BadRequest('stopped: nothing was written'))
          return
        }
        if (character === '\r' || character === '\n' || character === '\u0004') {
          input.off('data', listen)
          if (text === '') reject(new BadRequest('no password was given', { hint: 'type it, then Enter' }))
          else resolve(text)
          return
        }
        if (character === '\u007f' || character === '\b') text = [...text].slice(0, -1).join('')
        else if (character >= ' ' && text.length < longest) text += character
      }
    }
    input.on('data', listen)
  })
}
