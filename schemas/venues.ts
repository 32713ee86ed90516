// Trading venues and reporting facilities, as a source lists them.
import { defineDataset, terms } from './dataset.ts'
import { Text } from './values.ts'

export const venues = defineDataset('venues', 'Venues', terms('8 days', 'as of each source'), {
  description:
    'One row per source and venue: its name, the code under which its trades are printed, and the MIC of the market that runs it. Sessions and holidays are not here: they are a ruleset (exchange-calendars).',
  facts: {
    source_name: Text,
    name: Text, // the name of the venue, as printed
    mic: Text.nullable(), // ISO 10383; facilities without one are listed too
    operating_mic: Text.nullable(), // the ISO 10383 code of the operator of the venue
    kind: Text.describe('exchange, TRF (reporting facility) or SIP (consolidated tape), as the source prints it'),
    asset_class: Text.nullable(), // as the source prints it, such as stocks
    locale: Text.nullable(), // as the source prints it, such as us
    acronym: Text.nullable(), // as the source prints it
    participant_id: Text.nullable(), // the letter on the consolidated tape
    url: Text.nullable(),
  },
  rows: { key: ['source_name', 'name'], time: 'name' },
})
