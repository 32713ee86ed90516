// An element of a small XML form.
export type Element = {
  readonly name: string
  id: string | null
  /** Text of the element itself without its children's, entities decoded; not trimmed. */
  text: string
  children: Element[]
}
