// The times of a ZIP file's members, set to one value, so that equal content is equal bytes.

const endSignature = 0x06054b50
const centralSignature = 0x02014b50
/** 1980-01-01 00:00, the earliest time that the format has. */
const time = 0x00210000

/** Sets the time of each member in place. Throws TypeError for what is no ZIP file with its end record as the last bytes. */
export function fixZipTimes(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = bytes.length - 22
  if (end < 0 || view.getUint32(end, true) !== endSignature) throw new TypeError('no end record of a ZIP file')
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  for (let member = 0; member < count; member += 1) {
    if (view.getUint32(at, true) !== centralSignature) throw new TypeError('no member record of a ZIP file')
    view.setUint32(at + 12, time, true)
    view.setUint32(view.getUint32(at + 42, true) + 10, time, true)
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return bytes
}
