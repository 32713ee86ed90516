// Estimates the number of tokens of a text. The estimate is an upper bound: each model has another tokenizer, and an exact count would take
// longer than the answer. api/agents/tokens.test.ts compares it with a real tokenizer over the results of every tool.

/**
 * An upper bound of the tokens of a JSON or plain text: one token for five letters, two letters mixed with digits (hashes, base64), three
 * digits, two punctuation marks, or one character outside ASCII.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  let run = 0
  let kind = 0
  let before = 0
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? text.charCodeAt(at) : -1
    const next = kindOf(code)
    if (next === kind) {
      run += 1
      continue
    }
    const mixed = kind === 1 && (next === 2 || before === 2)
    tokens += mixed ? Math.ceil(run / 2) : costOf(kind, run)
    before = kind
    kind = next
    run = 1
  }
  return Math.ceil(tokens)
}

/** 1 letter, 2 digit, 3 blank, 4 other ASCII, 5 not ASCII; 0 at the ends. */
function kindOf(code: number): number {
  if (code < 0) return 0
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return 1
  if (code >= 48 && code <= 57) return 2
  if (code === 32 || code === 10) return 3
  return code < 128 ? 4 : 5
}

function costOf(kind: number, run: number): number {
  switch (kind) {
    case 1:
      return Math.ceil(run / (run > 20 ? 2 : 5))
    case 2:
      return Math.ceil(run / 3)
    case 3:
      return run > 1 ? 1 : 0
    case 4:
      return Math.ceil(run / 2)
    case 5:
      return run
    default:
      return 0
  }
}
