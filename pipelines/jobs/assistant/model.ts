// The language model of the configuration. Its package is loaded with the first question, so that a worker without questions does not load
// it.
import type { LanguageModel } from 'ai'
import type { ModelConfig } from '#schemas/config.ts'
import { Upstream } from '#schemas/errors.ts'
import { createModelFetch } from '../../fetch/http/model-fetch.ts'

const anthropicBase = 'https://api.anthropic.com/v1'

export type OpenModel = { readonly model: LanguageModel; readonly close: () => Promise<void> }

/** Throws `Upstream` if the provider needs a key and none is configured. */
export async function openModel({ provider, name, url, key }: ModelConfig): Promise<OpenModel> {
  if (provider === 'anthropic') {
    if (key === null) throw new Upstream('the model has no key: CROSSFILE_MODEL_KEY is not set for the worker')
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const http = createModelFetch(url ?? anthropicBase, url !== null)
    return { model: createAnthropic({ baseURL: url ?? anthropicBase, apiKey: key.reveal(), fetch: http.fetch })(name), close: http.close }
  }
  if (url === null) throw new Upstream('the model has no address: CROSSFILE_MODEL_URL is not set for the worker')
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const http = createModelFetch(url, true)
  const made = createOpenAICompatible({ name: 'model', baseURL: url, fetch: http.fetch, ...(key === null ? {} : { apiKey: key.reveal() }) })
  return { model: made(name), close: http.close }
}
