// What an operation refused, as the faults of the form that called it.
import type { Faults, Outcome, Returned } from '../page.ts'
import { sentence } from '../words.ts'

type Refused = Extract<Outcome<unknown>, { ok: false }>

/**
 * The faults by field; under '' what belongs to no field, with its hint. `fields`: those of the form; `names`: fields whose member of the
 * body has another name, by the name of the member.
 */
export function refusalFaults({ error }: Refused, fields: readonly string[], names: Readonly<Record<string, string>> = {}): Faults {
  if (error.items === undefined) {
    const hint = error.hint === undefined || error.hint === '' ? '' : ` ${sentence(error.hint)}`
    return { '': `${sentence(error.detail)}${hint}` }
  }
  const faults: Record<string, string> = {}
  for (const { loc, msg } of error.items) {
    const member = String(loc[1] ?? '')
    const name = names[member] ?? member
    const field = fields.includes(name) ? name : ''
    faults[field] =
      faults[field] === undefined ? sentence(field === '' && member !== '' ? `${member} ${msg}` : msg) : `${faults[field]} ${sentence(msg)}`
  }
  return faults
}

/** The value that was typed into a field of the form that came back; otherwise `otherwise`. */
export const typedIn = (returned: Returned | null, form: string, name: string, otherwise = ''): string => {
  const value = returned?.form === form ? returned.typed[name] : undefined
  return typeof value === 'string' ? value : otherwise
}
/** The faults of a form if it came back. */
export const faultsIn = (returned: Returned | null, form: string): Faults => (returned?.form === form ? returned.faults : {})
