// How many signals a program receives when npm or its parent is gone.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createEnding } from './npm-parent.mjs'

describe('the end of npm or of the parent', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const anEnding = () => {
    const sent: number[] = []
    const begun = performance.now()
    return { sent, ending: createEnding(() => void sent.push(Math.round((performance.now() - begun) / 1000))) }
  }

  test('is one signal, however often it is noticed', () => {
    const { sent, ending } = anEnding()
    ending.request()
    vi.advanceTimersByTime(60_000)
    ending.request()
    expect(sent).toEqual([0])
  })

  test('is no second signal to a program that received one, unless it still runs half a minute later', () => {
    const { sent, ending } = anEnding()
    ending.noteSignal()
    vi.advanceTimersByTime(10_000)
    ending.request()
    vi.advanceTimersByTime(19_000)
    expect(sent).toEqual([])
    // A second Ctrl-C counts from its moment.
    ending.noteSignal()
    vi.advanceTimersByTime(29_000)
    expect(sent).toEqual([])
    vi.advanceTimersByTime(61_000)
    expect(sent).toEqual([59])
  })
})
