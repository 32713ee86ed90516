// The forms for public offerings of securities.

/**
 * Forms that register securities for sale and the prospectuses filed under them, with amendments: S-1, S-3, S-4, S-11, F-1, F-3, F-4, F-10,
 * their MEF and POS AM forms, 424B1 to 424B8; of Regulation A 1-A, 1-A POS and the offering circulars 253G1 to 253G4. Of a 40-F, only an
 * exhibit that is a prospectus is read.
 */
export const isOfferingForm = (form: string): boolean =>
  /^(?:S-(?:1|3|4|11)(?:MEF|ASR|D)?|F-(?:1|3|4|7|8|9|10|80)(?:MEF|ASR|EF|D)?|SB-[12]|424B[1-8]|424[AH]|1-A(?: POS)?|253G[1-4]|POS AM|S-3ASR|F-3ASR|SUPPL)(?:\/A|POS)?$/.test(
    form.trim(),
  )
/** An annual report of a Canadian issuer, whose exhibits may contain a prospectus. */
export const mayHoldProspectus = (form: string): boolean => /^40-F(?:\/A)?$/.test(form.trim())
