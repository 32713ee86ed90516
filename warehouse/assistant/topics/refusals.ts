// Questions that rules refuse: advice, forecasts, orders, data of other people, and data that the service does not have.
import type { RefusalCode } from '#schemas/assistant.ts'
import { Refusal } from '../refusal.ts'
import { words } from '../writer.ts'
import type { TopicAnswer } from './topic.ts'

const refuse =
  (code: RefusalCode, reason: string, sentences: string): TopicAnswer =>
  async () => {
    throw new Refusal(code, reason, { parts: words(sentences).parts })
  }
export const advice = refuse(
  'advice',
  'a recommendation was asked for',
  'I give no recommendation: this service answers what is known and does not know what is right for you. I can show prices, figures, filings, insiders or holders of a company instead.',
)
export const forecast = refuse(
  'forecast',
  'a forecast was asked for',
  'I make no forecast. I can show what happened up to now, confirmed dates, announced dividends, or the targets that analysts published.',
)
export const write = refuse(
  'write',
  'a change was asked for',
  'I can only read public market data: I place no orders, change no settings and send nothing. Alerts and watchlists have their own pages.',
)
export const personal = refuse(
  'personal',
  'data of a person or of the service itself was asked for',
  'I see no accounts, positions, keys or messages of anyone, and I do not show the inside of this service. I answer from public market data only.',
)
export const outOfScope = refuse(
  'out_of_scope',
  'the service has no such data',
  'This service has no data of that kind. It covers listings of the United States and Canada: prices, filings, holders, dividends, calendars and macro series.',
)
