// The PDF library (pdf.js as packed in unpdf): bytes in, the drawn runs of each page out. Loaded only in the thread of pdf-process.ts,
// where a hostile file cannot affect other processes.
import { getDocument, OPS } from 'unpdf/pdfjs'
import type { DrawnDocument, DrawnPage, Run } from './runs.ts'

export type DrawLimits = { readonly pages: number; readonly characters: number }
/** Why a document is not read. read-pdf.ts contains the texts for users. */
export type Refusal = { readonly reason: 'encrypted' | 'damaged' | 'too_many_pages' | 'too_much_text'; readonly found: string }
export class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.reason)
    this.refusal = refusal
  }
}

type Matrix = readonly [number, number, number, number, number, number]
const times = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[2] * b[1],
  a[1] * b[0] + a[3] * b[1],
  a[0] * b[2] + a[2] * b[3],
  a[1] * b[2] + a[3] * b[3],
  a[0] * b[4] + a[2] * b[5] + a[4],
  a[1] * b[4] + a[3] * b[5] + a[5],
]

/** The library reports skipped parts through the console. Images are skipped undecoded: only their existence is recorded. */
const imageSkipped = 'Image exceeded maximum allowed size'
let imagesSkipped = 0
const listen = (...parts: unknown[]): void => {
  if (parts.some(part => String(part).includes(imageSkipped))) imagesSkipped += 1
}

/** Reads a document. Throws `Refused`. `progress` is called after each page. */
export async function drawPdf(data: Uint8Array, limits: DrawLimits, progress: (done: number, of: number) => void): Promise<DrawnDocument> {
  console.log = listen
  console.warn = listen
  console.info = listen
  console.error = listen
  const task = getDocument({
    data,
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    useWasm: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    maxImageSize: 0,
    verbosity: 1,
    stopAtErrors: false,
  })
  const document = await task.promise.catch((error: unknown) => {
    throw refusedBy(error)
  })
  if (document.numPages > limits.pages) throw new Refused({ reason: 'too_many_pages', found: String(document.numPages) })
  const pages: DrawnPage[] = []
  let characters = 0
  for (let number = 1; number <= document.numPages; number++) {
    const page = await drawPage(document, number)
    characters += page.runs.reduce((sum, run) => sum + run.text.length, 0)
    if (characters > limits.characters) throw new Refused({ reason: 'too_much_text', found: `${characters} after page ${number}` })
    pages.push(page)
    progress(number, document.numPages)
  }
  const readable = pages.filter(page => page.fault === null)
  if (readable.length === 0) throw new Refused({ reason: 'damaged', found: pages[0]?.fault ?? 'no pages' })
  const { info } = (await document.getMetadata().catch(() => ({ info: {} }))) as { info: { PDFFormatVersion?: unknown; Title?: unknown } }
  const scripts = await document.hasJSActions().catch(() => false)
  return { pdf_version: shortText(info.PDFFormatVersion, 8), title: shortText(info.Title, 300), scripts, pages }
}

type Loaded = Awaited<ReturnType<typeof getDocument>['promise']>
async function drawPage(document: Loaded, number: number): Promise<DrawnPage> {
  try {
    const page = await document.getPage(number)
    const viewport = page.getViewport({ scale: 1 })
    const before = imagesSkipped
    const content = await page.getTextContent({ disableNormalization: false })
    // The operators show images and the names of fonts. If they cannot be read, the text of the page is kept.
    const operators = await page.getOperatorList().catch(() => ({ fnArray: [] as number[] }))
    const painted = operators.fnArray.some(
      each => each === OPS.paintImageXObject || each === OPS.paintInlineImageXObject || each === OPS.paintImageMaskXObject,
    )
    const bold = new Map<string, boolean>()
    const runs: Run[] = []
    for (const item of content.items) {
      if (!('str' in item) || item.str === '') continue
      if (!bold.has(item.fontName)) bold.set(item.fontName, isBold(page, item.fontName))
      const [a, b, c, d, x, y] = times(viewport.transform as unknown as Matrix, item.transform as unknown as Matrix)
      const angle = Math.round((Math.atan2(b, a) * 180) / Math.PI)
      runs.push({
        text: item.str,
        x,
        y,
        width: item.width,
        size: Math.hypot(c, d),
        bold: bold.get(item.fontName) === true,
        angle: (angle + 360) % 360,
      })
    }
    page.cleanup()
    return { page: number, width: viewport.width, height: viewport.height, runs, hasImages: painted || imagesSkipped > before, fault: null }
  } catch (error) {
    return { page: number, width: 0, height: 0, runs: [], hasImages: false, fault: reasonOf(error) }
  }
}

function isBold(page: { readonly commonObjs: { has(id: string): boolean; get(id: string): unknown } }, fontName: string): boolean {
  if (!page.commonObjs.has(fontName)) return false
  const { name, bold, black } = page.commonObjs.get(fontName) as { name?: string; bold?: boolean; black?: boolean }
  return bold === true || black === true || /bold|black|heavy|demi|semib|CMBX|-BdM?/i.test(name ?? '')
}

const shortText = (value: unknown, most: number): string | null => {
  const text =
    typeof value === 'string'
      ? value
          .replace(/\p{Cc}/gu, ' ')
          .trim()
          .toWellFormed()
          .slice(0, most)
          .toWellFormed()
      : ''
  return text === '' ? null : text
}
const reasonOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 200)
function refusedBy(error: unknown): Refused {
  const name = error instanceof Error ? error.name : ''
  return new Refused({ reason: name === 'PasswordException' || /encrypt/i.test(reasonOf(error)) ? 'encrypted' : 'damaged', found: reasonOf(error) })
}
