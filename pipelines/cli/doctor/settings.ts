// jobs.yaml, and settings that probably enable less than intended.
import { checkContact } from '../../fetch/sources/upstream.ts'
import { checkJobs } from '../../jobs/start-check.ts'
import { type DoctorCheck, type Finding, ok, wrong } from './check.ts'

export const settingsCheck: DoctorCheck = {
  name: 'settings',
  run: async ({ config }) => {
    const findings: Finding[] = checkJobs(config).map(fault => wrong(`${fault.setting}: ${fault.found}`, fault.remedy))
    if (config.contact !== null) {
      try {
        checkContact(config.contact)
      } catch (error) {
        findings.push(
          wrong(
            `CROSSFILE_CONTACT: ${error instanceof Error ? error.message : String(error)}`,
            'set it to a name and an address at which the SEC can reach you',
          ),
        )
      }
    }
    return findings.length > 0 ? findings : [ok(`${config.mode} mode; jobs.yaml and the environment are valid`)]
  },
}
