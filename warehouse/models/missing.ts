// The error if an answer needs a build that does not exist yet: the API requests it from the worker and waits a bounded time.
import { Upstream } from '#schemas/errors.ts'
import type { ModelName } from '../context/model-rows.ts'

export class ModelMissing extends Upstream {
  readonly model: ModelName
  readonly release: number
  readonly asOf: string | null
  constructor(model: ModelName, release: number, asOf: string | null) {
    super(`the ${model.name} of release ${release}${asOf === null ? '' : ` as of ${asOf}`} is being computed`, {
      retryAfterSeconds: 15,
      hint: 'repeat the request after the seconds of Retry-After (a large market takes minutes), or omit release and as_of for the newest build',
    })
    this.model = model
    this.release = release
    this.asOf = asOf
  }
}
