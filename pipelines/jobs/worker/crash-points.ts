// Named points at which a test ends or freezes a worker, so that a crash happens exactly there. Without
// CROSSFILE_TEST_CRASH, which only tests set, they do nothing.
import { writeSync } from 'node:fs'
import { BadRequest } from '#schemas/errors.ts'

/**
 * Reads `point:n[:kill|stop]`, e.g. `linked:2` (the process is killed the second time that a file is linked) or
 * `sealed:1:stop` (it is frozen until it receives SIGCONT); several are joined by commas. Each fires once and reports it on
 * standard error first. `*` is any point. Throws `BadRequest` for another form.
 */
export function crashPointsOf(text: string | undefined): (name: string) => void {
  if (!text) return () => {}
  const armed = text.split(',').map(part => {
    const match = /^([a-z-]+|\*):(\d{1,6})(?::(kill|stop))?$/.exec(part)
    if (!match) throw new BadRequest(`CROSSFILE_TEST_CRASH: "${part}" is not point:n or point:n:stop`)
    return { point: match[1] as string, left: Number(match[2]), signal: match[3] === 'stop' ? ('SIGSTOP' as const) : ('SIGKILL' as const) }
  })
  return name => {
    for (const each of armed) {
      if (each.point !== '*' && each.point !== name) continue
      each.left -= 1
      if (each.left !== 0) continue
      writeSync(2, `crash point ${name}: ${each.signal}\n`)
      process.kill(process.pid, each.signal)
    }
  }
}
