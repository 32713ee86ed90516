// Said where an answer needs a build that nobody made yet: the API asks the worker for it and waits a bounded time.
import { Upstream } from '#schemas/errors.ts'
import type { ModelName } from './rows.ts'

export class ModelMissing extends Upstream {
  readonly model: ModelName
  readonly release: number
  readonly asOf: string | null
  constructor(model: ModelName, release: number, asOf: string | null) {
    super(`the ${model.name} of release ${release}${asOf === null ? '' : ` as of ${asOf}`} is being computed`, {
      retryAfterSeconds: 15,
      hint: 'ask again in some seconds, or without release and as_of for the newest one that is there',
    })
    this.model = model
    this.release = release
    this.asOf = asOf
  }
}
