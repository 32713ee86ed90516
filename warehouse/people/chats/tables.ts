// Kysely's types of migrations/0026-assistant.sql.
import type { ColumnType } from 'kysely'
import type { Envelope } from '#schemas/assistant.ts'
import type { SharedChatMessage } from '#schemas/chat.ts'
import type { Json } from '../users/tables.ts'
import type { RunAnswer, RunKind, RunRequest, RunState } from './run-records.ts'

export type ChatTables = {
  assistant_profile: {
    user_id: string
    about_me: string
    my_voice: string
    my_rules: string
    sharia_standard: string
    jurisdiction: string
    sectors: string[]
    updated_at: string
  }
  chat_session: { user_id: string; session_id: string; created_at: string; last_at: string }
  chat_message: {
    message_id: string
    user_id: string
    session_id: string
    ordinal: number
    role: 'user' | 'assistant'
    content: string
    envelope: ColumnType<Envelope | null, string | null, string | null>
    model: string | null
    created_at: string
  }
  chat_run: {
    run_id: string
    user_id: string
    kind: RunKind
    session_id: string | null
    state: RunState
    request: ColumnType<RunRequest | null, string | null, string | null>
    image: Buffer | null
    answer: ColumnType<RunAnswer | null, string | null, string | null>
    counted_on: string | null
    created_at: string
    alive_until: string
    followed_until: string | null
    ended_at: string | null
  }
  chat_event: { run_id: string; n: number; user_id: string; event: string; data: string; created_at: string }
  chat_share: {
    share_id: string
    user_id: string
    title: string | null
    messages: Json<SharedChatMessage[]>
    created_at: string
    expires_at: string
  }
  assistant_feedback: {
    feedback_id: string
    user_id: string
    vote: string
    query: string
    answer: string
    model: string
    session_id: string
    created_at: string
  }
  model_use: { day: string; model: string; answers: number; input_tokens: number; output_tokens: number }
}

declare module '../../store/database.ts' {
  interface Database extends ChatTables {}
}
