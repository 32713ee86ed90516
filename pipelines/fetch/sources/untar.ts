// Reads a tar stream (POSIX ustar with pax and GNU long names) member by member. Only plain files are read; names are never used as paths.
import { type ArchiveCaps, ArchiveFault, type Member, nameFault, type RefusedMember } from './unzip.ts'

const block = 512
/** Bytes of a member that are passed to `wants`. */
const headBytes = 8192

/**
 * `wants` gets the beginning of each plain file; a declined file is skipped without being held in memory. Of two members with
 * one name the first counts.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  caps: ArchiveCaps,
  refused: (member: RefusedMember) => void,
  wants: (name: string, head: Buffer, size: number) => boolean = () => true,
): AsyncGenerator<Member> {
  const reader = createReader(source)
  const seen = new Set<string>()
  let longName: string | null = null
  let members = 0
  let total = 0
  for (;;) {
    const header = await reader.take(block)
    if (header === null) throw new ArchiveFault('truncated', 'the archive ends without its two empty blocks')
    if (header.every(byte => byte === 0)) return
    const { name, size, type } = parseHeader(header)
    members += 1
    if (members > caps.members) throw new ArchiveFault('too_many_members', `more than ${caps.members} members`)
    const padded = Math.ceil(size / block) * block
    total += padded
    if (total > caps.totalBytes) throw new ArchiveFault('too_large', `the members are more than ${caps.totalBytes} bytes`)
    const isMeta = type === 'x' || type === 'L'
    const isFile = type === '0' || type === '\0' || type === '7'
    const tooLarge = size > (isMeta ? 65_536 : caps.memberBytes)
    if ((!isMeta && !isFile) || tooLarge) {
      if (isMeta) throw new ArchiveFault('broken_header', `a name record of ${size} bytes`)
      if (tooLarge && isFile) refused({ name: longName ?? name, reason: 'too_large', detail: `${size} bytes, over the limit of ${caps.memberBytes}` })
      else if (type !== '5' && type !== 'g') refused({ name: longName ?? name, reason: 'not_a_file', detail: `a member of type "${type}"` })
      await reader.skip(padded)
      longName = null
      continue
    }
    if (isFile) {
      const own = longName ?? name
      const fault =
        nameFault(own) ??
        (seen.has(own) ? { reason: 'duplicate_name', detail: 'an earlier member of the archive has this name; the first one counts' } : null)
      seen.add(own)
      const head = fault ? null : await reader.peek(Math.min(headBytes, size))
      if (fault) refused({ name: own, ...fault })
      if (head === null || !wants(own, head, size)) {
        await reader.skip(padded)
        longName = null
        continue
      }
    }
    const bytes = await reader.take(padded)
    if (bytes === null) throw new ArchiveFault('truncated', `the archive ends inside ${name.slice(0, 60)}`)
    const content = bytes.subarray(0, size)
    if (isMeta) longName = type === 'L' ? text(content) : (paxPath(content.toString('utf8')) ?? longName)
    else {
      yield { name: longName ?? name, bytes: content }
      longName = null
    }
  }
}

const text = (field: Uint8Array): string => Buffer.from(field).toString('utf8').split('\0', 1)[0] ?? ''

function parseHeader(header: Buffer): { name: string; size: number; type: string } {
  const octal = (from: number, to: number): number => {
    const digits = text(header.subarray(from, to)).trim()
    if (!/^[0-7]{1,12}$/.test(digits)) throw new ArchiveFault('broken_header', 'a member header has no octal number in a numeric field')
    return Number.parseInt(digits, 8)
  }
  let sum = 0
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte
  if (sum !== octal(148, 156)) throw new ArchiveFault('broken_header', 'the checksum of a member header does not match')
  const prefix = text(header.subarray(257, 262)) === 'ustar' ? text(header.subarray(345, 500)) : ''
  const name = text(header.subarray(0, 100))
  return { name: prefix === '' ? name : `${prefix}/${name}`, size: octal(124, 136), type: String.fromCharCode(header[156] ?? 0) }
}

/** The `path` record of a pax header: records are `<length> key=value\n`. */
function paxPath(records: string): string | null {
  const match = /(?:^|\n)\d{1,6} path=([^\n]*)\n/.exec(records)
  return match?.[1] ?? null
}

function createReader(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]()
  let held: Uint8Array[] = []
  let length = 0
  const fill = async (wanted: number): Promise<boolean> => {
    while (length < wanted) {
      const next = await iterator.next()
      if (next.done === true) return false
      held.push(next.value)
      length += next.value.length
    }
    return true
  }
  const take = async (wanted: number): Promise<Buffer | null> => {
    if (!(await fill(wanted))) return null
    const all = held.length === 1 && held[0] !== undefined ? Buffer.from(held[0].buffer, held[0].byteOffset, held[0].length) : Buffer.concat(held)
    held = [all.subarray(wanted)]
    length -= wanted
    return Buffer.from(all.subarray(0, wanted)) // a copy, so that a small member does not keep a large chunk in memory
  }
  return {
    take,
    /** The next bytes, without consuming them; fewer if the source ends. */
    peek: async (wanted: number): Promise<Buffer> => {
      await fill(wanted)
      if (held.length > 1) held = [Buffer.concat(held)]
      const [all = new Uint8Array(0)] = held
      return Buffer.from(all.buffer, all.byteOffset, Math.min(wanted, all.length))
    },
    skip: async (wanted: number): Promise<void> => {
      for (let left = wanted; left > 0; ) {
        const piece = Math.min(left, 65_536)
        if ((await take(piece)) === null) throw new ArchiveFault('truncated', 'the archive ends inside a member')
        left -= piece
      }
    },
  }
}
