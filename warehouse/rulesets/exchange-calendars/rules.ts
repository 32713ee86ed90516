// The ruleset as data: rules.json, checked once when it is loaded. Holidays are rules with the years in which they apply; unscheduled
// closings (mourning, storms) are dated lines, so a new closing needs no code.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { Currency, Exchange, IsoDate } from '#schemas/values.ts'
import { dated } from '../editions.ts'
import document from './rules.json' with { type: 'json' }

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
const Weekday = z.enum(weekdays)
/** 0 Sunday to 6 Saturday, as `Date.getUTCDay`. */
export const weekdayNumber = (weekday: z.infer<typeof Weekday>): number => weekdays.indexOf(weekday)

const month = z.int().min(1).max(12)
const day = z.int().min(1).max(31)
const DayRule = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('fixed'), month, day }),
  /** The nth weekday of the month, -1 the last one; `plus_days` later. */
  z.strictObject({ kind: z.literal('nth'), month, weekday: Weekday, nth: z.int().min(-1).max(5), plus_days: z.int().optional() }),
  /** The last such weekday strictly before the day (Victoria Day: the Monday before 25 May). */
  z.strictObject({ kind: z.literal('last_before'), month, day, weekday: Weekday }),
  /** Days after Easter Sunday (western churches). */
  z.strictObject({ kind: z.literal('easter'), plus_days: z.int() }),
])
export type DayRule = z.infer<typeof DayRule>

const years = { from_year: z.int().optional(), to_year: z.int().optional() }
/** The effect of a holiday on a weekend: none, the Friday before, or the next weekday that is not a holiday already. */
const Observed = z.enum(['none', 'back', 'forward']).default('none')
const Holiday = z.strictObject({ name: z.string(), rule: DayRule, saturday: Observed, sunday: Observed, ...years })
const clock = z.string().regex(/^\d\d:\d\d$/)
const HalfDay = z.strictObject({ name: z.string(), rule: DayRule, weekdays: z.array(Weekday).optional(), close: clock, ...years })
const SpecialHours = z.strictObject({ date: IsoDate, open: clock.optional(), close: clock.optional(), name: z.string() })

const Calendar = z.strictObject({
  id: z.string(),
  name: z.string(),
  time_zone: z.string(),
  from_year: z.int(),
  to_year: z.int(),
  ...dated,
  hours: z.array(z.strictObject({ valid_from: IsoDate, open: clock, close: clock })).min(1),
  holidays: z.array(Holiday),
  closings: z.array(z.strictObject({ date: IsoDate, name: z.string() })),
  half_days: z.array(HalfDay),
  special_hours: z.array(SpecialHours),
})
export type Calendar = z.infer<typeof Calendar>

const Venue = z.strictObject({ mic: z.string().regex(/^[A-Z]{4}$/), name: z.string(), exchange: Exchange, calendar: z.string() })
const ExchangeOf = z.strictObject({
  exchange: Exchange,
  suffix: z.string(),
  country: z.string().regex(/^[A-Z]{2}$/),
  currency: Currency,
  mic: z.string(),
  calendar: z.string(),
})
const ExchangeCalendars = z.strictObject({
  ruleset: z.string(),
  published: IsoDate,
  valid_from: IsoDate,
  valid_to: IsoDate,
  sources: z.array(z.string()).min(1),
  notes: z.array(z.string()),
  calendars: z.array(Calendar),
  venues: z.array(Venue),
  exchanges: z.array(ExchangeOf),
})
export const exchangeCalendars = parseOnce(ExchangeCalendars, document)
