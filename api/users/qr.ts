// A QR code as an SVG image: dark modules as one path, with the quiet zone of four modules that scanners need (ISO/IEC 18004).
import qrcode from 'qrcode-generator'

const quiet = 4

/** The text as a QR code with error correction M; it scales to the size that the page gives it. */
export function qrSvg(text: string): string {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const modules = code.getModuleCount()
  const size = modules + 2 * quiet
  let path = ''
  for (let row = 0; row < modules; row += 1)
    for (let column = 0; column < modules; column += 1) if (code.isDark(row, column)) path += `M${column + quiet} ${row + quiet}h1v1h-1z`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="240" height="240" role="img" aria-label="QR code"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`
}
