// How a watch of an answer reports: the boxes of its forms.
import { z } from 'zod'
import { watchChannels } from '#schemas/receipt-watches.ts'

export const channelLabels = { push: 'notice in my registered browsers', mail: 'mail to my confirmed address' } as const
/** The ticked boxes as a browser sends them. */
export const sentChannels = z.union([z.string(), z.array(z.string())]).default([])

/** The channels of the body; with no box ticked, changes are only in the feed. */
export const channelsOf = (typed: string | readonly string[]): string[] => {
  const ticked = typeof typed === 'string' ? [typed] : typed
  return [...watchChannels.filter(each => each !== 'changes' && ticked.includes(each)), 'changes']
}
