// `crossfile upstreams` and `crossfile upstreams lift`: sources that are not asked at the moment, and why.
import { NotFound } from '#schemas/errors.ts'
import { audit } from '#warehouse/people/users/audit.ts'
import { transaction } from '#warehouse/store/postgres.ts'
import { findUpstreamStops, liftUpstreamStop, type UpstreamStop } from '#warehouse/store/upstream-stops.ts'
import { getUpstream, upstreams as known } from '../fetch/sources/index.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { moment, printJson, some, table } from './output.ts'

/** The sources of a group of hosts; a simulator has its own group, `<group> at <address>`. */
const sourcesOf = (group: string): string[] =>
  [...known.values()].filter(({ limits }) => group === limits.group || group.startsWith(`${limits.group} at `)).map(({ name }) => name)

export async function upstreams(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('upstreams', commands.upstreams.options, argv)
  const stops = await withDatabase(io, { write: false }, ({ db }) => findUpstreamStops(db))
  if (values.json) printJson(io, { upstreams: stops.map(stop => ({ ...stop, sources: sourcesOf(stop.name) })) })
  else if (stops.length === 0) io.out('every source may be asked')
  else {
    const columns = [{ head: 'hosts' }, { head: 'sources', wide: true }, { head: 'not asked until' }, { head: 'reason', wide: true }]
    const rows = stops.map(stop => [stop.name, sourcesOf(stop.name).join(', '), untilOf(stop), stop.reason ?? reasonOf(stop)])
    for (const line of table(io, columns, rows)) io.out(line)
    io.err('crossfile upstreams lift SOURCE asks a source again')
  }
  return stops.length === 0 ? 0 : 1
}

const untilOf = ({ stopped_until }: UpstreamStop): string =>
  stopped_until === null ? '-' : stopped_until === 'infinity' ? 'an operator lifts it' : moment(stopped_until)
const reasonOf = ({ failing_since, failures }: UpstreamStop): string =>
  failing_since === null ? '-' : `${some(failures, 'failure')} in a row since ${moment(failing_since)}: only one request now and then`

export async function upstreamsLift(argv: readonly string[], io: Io): Promise<number> {
  const words = { least: 1, most: 1, what: 'the name of the source' }
  const { values, rest } = readArguments('upstreams lift', commands['upstreams lift'].options, argv, words)
  const source = getUpstream(rest[0] ?? '')
  const lifted = await withDatabase(io, { write: true }, ({ db }) =>
    transaction(db, async trx => {
      const held = (await findUpstreamStops(trx)).filter(({ name }) => sourcesOf(name).includes(source.name))
      const done: UpstreamStop[] = []
      for (const { name } of held) {
        const stop = await liftUpstreamStop(trx, name)
        if (stop === null) continue
        const details = { stopped_until: stop.stopped_until, reason: stop.reason, failing_since: stop.failing_since, failures: stop.failures }
        await audit(trx, { actor: 'operator', act: 'upstream.lift', subject: name, details }, io.now())
        done.push(stop)
      }
      return done
    }),
  )
  if (lifted.length === 0) throw new NotFound(`${source.name} is not stopped`, { hint: 'crossfile upstreams lists those that are' })
  if (values.json) printJson(io, { lifted })
  else for (const { name } of lifted) io.out(`${name}: lifted. Its next job or request asks it again; if it refuses again, it is stopped again.`)
  return 0
}
