// Checks an answer against the answers of its calls, independently of the writer: each claim is read or computed again, and each figure of
// the text must belong to a claim.
import type { AssistantAnswer, Claim } from '#schemas/assistant.ts'
import type { CallOperation, OperationOutcome } from '#schemas/operation-calls.ts'
import { apply, decimalOf, definitions } from './claims.ts'
import { figuresOfProse } from './figures.ts'
import { lengthAt, parseAnswer, textAt } from './json-values.ts'

export type Recorded = { readonly call: CallOperation; readonly outcomesOf: (answer: AssistantAnswer) => Map<number, unknown> }

/** A `CallOperation` that records its answers, to check claims against; `outcomesOf` returns the trees by the number of the call. */
export function recordCalls(call: CallOperation): Recorded {
  const kept = new Map<string, Extract<OperationOutcome, { ok: true }>[]>()
  const keyOf = (operation: string, parameters: object): string => `${operation} ${JSON.stringify(parameters)}`
  return {
    call: async (request, options) => {
      const outcome = await call(request, options)
      const key = keyOf(request.operation, request.parameters)
      if (outcome.ok) kept.set(key, [...(kept.get(key) ?? []), outcome])
      return outcome
    },
    outcomesOf: ({ envelope }) => {
      const used = new Map<string, number>()
      return new Map(
        envelope.calls.flatMap(({ n, ok, operation, parameters }) => {
          const key = keyOf(operation, parameters)
          const place = used.get(key) ?? 0
          if (ok) used.set(key, place + 1)
          const outcome = kept.get(key)?.[place]
          return ok && outcome !== undefined ? [[n, parseAnswer(outcome.text)] as const] : []
        }),
      )
    },
  }
}

/** The faults of an answer's claims, a sentence each; empty if there are none. `requested`: the questions of the conversation. */
export function verifyClaims({ answer, envelope }: AssistantAnswer, trees: ReadonlyMap<number, unknown>, requested: readonly string[]): string[] {
  const problems = envelope.claims.flatMap(claim => faultOf(claim, envelope.claims, trees, requested) ?? [])
  const printed = new Set(envelope.claims.flatMap(({ text }) => figuresOfProse(text).map(each => each.value)))
  const body = answer.replace(/\n\nSources: [\s\S]*$/, '')
  const loose = figuresOfProse(body).filter(figure => !printed.has(figure.value))
  return [...problems, ...loose.map(figure => `the figure "${figure.text}" is printed by no claim`)]
}

function faultOf(claim: Claim, claims: readonly Claim[], trees: ReadonlyMap<number, unknown>, requested: readonly string[]): string | null {
  const { n, call, pointer, value, rule, operands } = claim
  if (call !== null && pointer !== null) {
    const tree = trees.get(call)
    if (tree === undefined) return `claim ${n} points into call ${call}, which has no answer`
    const found = rule === 'count' ? String(lengthAt(tree, pointer)) : (textAt(tree, pointer) ?? null)
    return found === value ? null : `claim ${n} has ${value}, the answer has ${found} at ${pointer}`
  }
  if (rule === 'definition')
    return Object.values(definitions).some(each => each === value) ? null : `claim ${n} takes ${value} from a definition that does not exist`
  if (rule === 'clock') return /^\d{4}-\d\d-\d\d$/.test(value ?? '') ? null : `claim ${n} takes ${value} from the clock, which gives days`
  if (rule === 'question') {
    const plain = (text: string): string =>
      text
        .toLowerCase()
        .replaceAll(/(?<=\d),(?=\d)/g, '')
        .replace(/[^\p{L}\p{N}.]+/gu, ' ')
    const text = plain(requested.join(' '))
    const wanted = plain(value ?? '').trim()
    // The text must contain the number as a whole: 2025 does not contain a 5.
    const isThere = /^-?[\d.]+$/.test(wanted)
      ? new RegExp(`(?<![\\d.])${wanted.replaceAll('.', '\\.')}(?!\\d|\\.\\d)`).test(text)
      : text.includes(wanted)
    if (/^\d{4} \d\d \d\d$/.test(wanted) || isThere) return null
    // 180k and 2 million are written out; without a number, one share is meant.
    const spelled =
      wanted === '1' ||
      text.includes(wanted.replace(/000$/, 'k')) ||
      text.includes(wanted.replace(/000000$/, ' million')) ||
      text.includes(wanted.replace(/000000000$/, ' billion')) ||
      !/\d/.test(wanted) ||
      figuresOfProse(requested.join('\n')).some(figure => figure.value === value)
    return spelled ? null : `claim ${n} takes "${value}" from the question, which does not have it`
  }
  const values = operands.map(each => (each < n ? claims[each - 1]?.value : undefined))
  if (rule === null || (values.length === 0 && rule !== 'count') || values.some(each => each === undefined || each === null))
    return `claim ${n} names no source and no operands`
  const computed = apply(rule, rule === 'count' ? (values as string[]) : (values as string[]).map(decimalOf))
  return computed === value ? null : `claim ${n} has ${value}, ${rule} of its operands is ${computed}`
}
