// The state of a question while it is answered.
import type { AssistantAnswer, Conversation, Profile } from '#schemas/assistant.ts'
import type { Quality } from '#schemas/chat.ts'

/** `chat`: its texts are kept in a chat. `ask` and `geochat`: nothing is kept once it has ended. */
export type RunKind = 'chat' | 'ask' | 'geochat'
/** `ticket`: not begun, not counted. `cancelled`: the client went away. */
export type RunState = 'ticket' | 'running' | 'answered' | 'failed' | 'cancelled'

export type RunRequest = {
  readonly content: string
  readonly quality: Quality
  /** Other wordings of the question, used in their order. */
  readonly alts: readonly string[]
  readonly conversation: Conversation | null
  readonly profile: Profile
  /** Earlier turns of the chat, oldest first, for a model. */
  readonly turns: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
}
/** `query`: the wording that was answered. */
export type RunAnswer = AssistantAnswer & { readonly query: string }
