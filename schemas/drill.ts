// Requests of the drill-result interpreter, and the terms of its answer.
import { z } from 'zod'

export const depositTypes = [
  'default',
  'open_pit_oxide',
  'open_pit_gold',
  'underground_gold',
  'orogenic',
  'epithermal_low_sulphidation',
  'epithermal_high_sulphidation',
  'carlin',
  'intrusion_related',
  'porphyry',
  'vms',
  'sediment_hosted_copper',
  'iocg',
  'sedex',
  'mvt',
  'silver_vein',
  'nickel_sulphide',
  'lithium_pegmatite',
  'uranium_unconformity',
  'uranium_isr',
] as const
export type DepositType = (typeof depositTypes)[number]

/** Maximum bytes of UTF-8 of a text, and maximum number of intervals. */
export const maxDrillText = 256 * 1024
export const maxDrillIntervals = 2000

export const DrillInterpretRequest = z.strictObject({
  text: z
    .string()
    .refine(
      text => text.length <= maxDrillText && new TextEncoder().encode(text).byteLength <= maxDrillText,
      `the text has more than ${maxDrillText} bytes: send the part with the results`,
    )
    .describe(`the release or the part of it with the results, at most ${maxDrillText} bytes of UTF-8; may be empty if intervals are given`),
  deposit_type: z
    .enum(depositTypes, { error: `expected one of ${depositTypes.join(', ')}` })
    .default('default')
    .describe('whose grade bands apply; default: open_pit_gold above 200 m of depth, underground_gold below'),
  intervals: z
    .array(z.record(z.string(), z.unknown()))
    .max(maxDrillIntervals, `at most ${maxDrillIntervals} intervals`)
    .default([])
    .describe(
      'intervals as read by the caller: hole, from, to, length, true_width, core_angle_deg, unit (m or ft), grades [{metal, value, unit}] or members such as au_gpt and cu_pct, including [intervals]',
    ),
})
export type DrillInterpretRequest = z.output<typeof DrillInterpretRequest>
