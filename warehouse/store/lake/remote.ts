// What the lake needs of a bucket. `bucket/` implements it; a lake on the local disk has none. Types only, so that a local lake loads no
// code for buckets.

import type { Config } from '#schemas/config.ts'

/** The settings of a lake in a bucket. */
export type RemoteConfig = Pick<Config, 'lake' | 'lakeCacheBytes' | 's3' | 'dataFolder'>

export type RemoteFile = {
  readonly dataset: string
  readonly sha256: string
  readonly path: string
  /** True if a file at this path has the content; for a file whose `sha256` is not that of all its bytes. */
  readonly isWhole?: (path: string) => Promise<boolean>
}

/**
 * An object of the bucket. `name` is the path of its file below the folder `lake`, such as `delta/bars/new/<sha256>.parquet`, or
 * `models/<model>/<file>` for a file of a model.
 */
export type ObjectFacts = { readonly name: string; readonly bytes: number; readonly etag: string; readonly modifiedAt: number }

type LocalFile = { readonly path: string; readonly sha256: string; readonly bytes: number }
type Downloaded = { readonly outcome: 'whole' | 'missing' } | { readonly outcome: 'differs'; readonly found: string }

/** Named objects of the bucket, as the publication and the collectors use them. */
export type Objects = {
  /** `s3://bucket/prefix`. */
  readonly address: string
  /** Size, tag and time of an object; null if there is none. */
  facts(name: string): Promise<ObjectFacts | null>
  /** The text of an object; null if there is none. */
  text(name: string): Promise<string | null>
  /**
   * The bytes of an object; null if there is none. `range`: at most `length` bytes from `offset` on; fewer at the end of the object, none
   * behind it.
   */
  bytes(name: string, range?: { readonly offset: number; readonly length: number }): Promise<Buffer | null>
  /**
   * Makes an object with this text. If one exists with another text (from a publication that was stopped), it is replaced unless it
   * changes in between.
   */
  writeOnce(name: string, text: string): Promise<void>
  /** The bytes of an object and its tag, read by one request; null if there is none. */
  tagged(name: string): Promise<{ readonly bytes: Buffer; readonly etag: string } | null>
  /**
   * Replaces an object whose tag is still `etag`; with null, makes one that does not exist. False: the condition does not hold, and nothing
   * was written. Also false if a repeated request finds what its first attempt wrote: the caller compares.
   */
  writeIf(name: string, bytes: Uint8Array, etag: string | null): Promise<boolean>
  /** Makes or replaces an object. */
  write(name: string, bytes: Uint8Array): Promise<void>
  /** Deletes an object; one that does not exist is no error. */
  remove(name: string): Promise<void>
  /** Makes the object of a file; `created` is false if it exists with these bytes. */
  upload(name: string, file: LocalFile): Promise<{ readonly created: boolean }>
  /**
   * Writes an object to `target` while it is hashed; with null it is only hashed. `sha256` null: its length is compared alone. Throws
   * `Upstream` if the bucket cannot be read now.
   */
  download(name: string, sha256: string | null, target: string | null): Promise<Downloaded>
  /** Every object whose name begins with `under`. Not for reads: each page of a thousand costs a request. */
  list(under: string): AsyncIterable<ObjectFacts>
  /** The clock of the store, in milliseconds since 1970. */
  now(): Promise<number>
}

/** Whether the bucket answers and accepts the credentials, as this process knows it. */
export type Availability = {
  /** Why the newest request that ended found the bucket away or refusing, for the operator; null if it answered, or if none was sent. */
  fault(): string | null
  /** Sends one small request, which ends within five seconds, and returns what `fault` returns then. Concurrent calls share it. */
  probe(): Promise<string | null>
  /** Null if the newest request was answered, in the last five seconds; otherwise `probe`. */
  check(): Promise<string | null>
  /**
   * Calls `onChange` when the bucket is found away and when it answers again, and probes every `everyMs` (15 s) in which no request was
   * answered, until the returned function is called.
   */
  watch(onChange: (fault: string | null) => void, everyMs?: number): () => void
}

/** A lake whose files are in a bucket, and its models; the local folders are caches of verified files. */
export type Remote = {
  readonly objects: Objects
  readonly availability: Availability
  /** True for a path of a file that belongs in the bucket. */
  covers(path: string): boolean
  /** The name of the object of such a file. */
  nameOf(path: string): string
  /**
   * Downloads a file into the cache. Throws `Damaged` if the bucket has other bytes or no such object, `Upstream` if the bucket cannot be
   * read now. Concurrent calls for one file share a download.
   */
  fetch(file: RemoteFile): Promise<void>
  /**
   * Uploads a local file; returns after the bucket has acknowledged it. An existing object is compared, and replaced if its content
   * differs. `confirmStored` throws `Upstream` if the object no longer exists; null if this call made the object.
   */
  store(file: RemoteFile, bytes: number): Promise<{ readonly confirmStored: (() => Promise<void>) | null }>
  /** Compares the object with its SHA-256 by reading it. Returns the fault, or null if it is whole. */
  inspect(file: RemoteFile): Promise<string | null>
  /** Deletes the object of a file. */
  remove(path: string): Promise<void>
  /** Marks a file as being read, so that it stays in the cache until `release`, at most some minutes. */
  use(path: string): void
  release(path: string): void
  /** Deletes files that were not used for longest until the cache is within its limit; returns their number. */
  evict(): Promise<number>
}
