// Lists that are next to the data and have no recorded SHA-256: the journal of decisions, and the list of erased accounts.
import { findWholeList, openErasureList } from '#warehouse/people/privacy/erasure-list.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { findWholeJournal } from '#warehouse/store/raw/decisions.ts'
import { rawPlace } from '#warehouse/store/raw/place.ts'
import { count, some } from '../output.ts'
import { type Finding, ok, withBucket, wrong } from './check.ts'

export const listsCheck = withBucket('lists', async (db, { config }): Promise<Finding[]> => {
  const remote = await openRemote(config)
  const journal = await findWholeJournal(db, rawPlace(config.dataFolder, remote))
  const list = await findWholeList(db, openErasureList(config.dataFolder, remote))
  const findings = [
    ...journal.damaged.map(name => wrong(`${name} is not a decision on quarantine`, 'crossfile repair writes the journal again from the database')),
    ...list.damaged.map(each => wrong(`${each}: not an erased account`, 'the job erasure writes the list again: crossfile run erasure')),
  ]
  if (list.lacking > 0)
    findings.push(
      wrong(
        `the list of erased accounts lacks ${count(list.lacking)} of the database`,
        'the job erasure writes the list again: crossfile run erasure',
      ),
    )
  if (journal.lacking.length > 0)
    findings.push(
      wrong(
        `the journal lacks ${some(journal.lacking.length, 'decision')} of the database, such as on ${journal.lacking[0]?.subject}`,
        'crossfile repair writes the journal again from the database',
      ),
    )
  return findings.length > 0 ? findings : [ok('the journal of decisions and the list of erased accounts are whole')]
})
