// A state and a lock through the generated TypeScript client: node roundtrip.js URL TOKEN
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { isAxiosError } from 'axios'
import { Configuration, LocksApi, StatesApi, TransferApi } from './client'
import type { Problem, StateRecord } from './client'

const [url, token] = process.argv.slice(2)
const configuration = new Configuration({ basePath: url, accessToken: token })
const states = new StatesApi(configuration)
const locks = new LocksApi(configuration)

const document = { singer_state: { bookmarks: { orders: { id: Number.MAX_SAFE_INTEGER, none: null, list: [null, {}] } } } }
// They differ in what is encoded alone; all of them are other ids.
const ids = ['ts:a/b', 'ts:a%2Fb', 'ts:a%252Fb', 'ts:a b;c?d#e&f=g+h', 'ts:a+b', 'ts:\u2603 \u{1f4a9}"\'<>']

/** What a refused call was answered, as its type. */
async function refused(status: number, code: string, call: Promise<unknown>): Promise<Problem> {
  const failure: unknown = await call.then(() => undefined, (error: unknown) => error)
  assert(isAxiosError<Problem>(failure) && failure.response, `not refused: ${code}, but ${failure}`)
  assert.deepEqual([failure.response.status, failure.response.data.code], [status, code])
  return failure.response.data
}

async function roundStates(): Promise<void> {
  for (const [number, id] of ids.entries()) {
    const made = await states.putState(id, { completed_state: document, partial_state: { singer_state: { number } } })
    assert.deepEqual([made.status, made.data.state_id], [201, id])
  }
  for (const [number, id] of ids.entries()) {
    const record: StateRecord = (await states.getState(id)).data
    assert.deepEqual([record.completed_state, record.partial_state], [document, { singer_state: { number } }])
    const merged: object = (await states.getState(id, 'merged')).data
    assert.deepEqual(merged, { singer_state: { ...document.singer_state, number } })
  }
  const id = ids[0]!
  const replaced = (await states.putState(id, { completed_state: document, partial_state: null })).data
  assert.equal(replaced.partial_state, null)
  const head = await states.headState(id)
  assert.equal(head.headers.etag, `"${replaced.version}"`)
  await states.putState(id, { completed_state: document }, undefined, undefined, head.headers.etag)
  await refused(412, 'version-mismatch', states.deleteState(id, head.headers.etag))
  await refused(404, 'state-not-found', states.getState('ts:none'))

  const page = (await states.listStates('ts:*', undefined, undefined, 'documents')).data
  assert.deepEqual(page.states.map(entry => entry.state_id).sort(), [...ids].sort())
  assert.deepEqual(page.states.find(entry => entry.state_id === id)?.completed_state, document)
  assert.equal(page.next, null)
  const exported = (await new TransferApi(configuration).exportStates(id)).data
  assert.deepEqual(exported, { [id]: { completed: document, partial: {} } })
}

async function roundLock(): Promise<void> {
  const id = ids[1]!
  const lockId = randomUUID()
  const taken = await locks.acquireLock(id, { owner: 'round trip', ttl_seconds: 60, lock_id: lockId })
  assert.deepEqual([taken.status, taken.data.lock_id], [201, lockId])
  const held = await refused(423, 'locked', states.putState(id, { completed_state: { a: 1 } }))
  assert.deepEqual([held.holder?.owner, held.holder?.fencing_token, held.waiting], ['round trip', taken.data.fencing_token, 0])
  const written = await states.putState(id, { completed_state: { a: 1 } }, undefined, undefined, undefined, undefined, lockId)
  assert.deepEqual(written.data.completed_state, { a: 1 })
  assert.equal((await locks.renewLock(id, lockId, { ttl_seconds: 90 })).status, 200)
  assert.equal((await locks.releaseLock(id, lockId)).status, 204)
  await refused(404, 'not-locked', locks.getLock(id))
  assert.equal((await states.deleteState(id)).status, 204)
}

async function main(): Promise<void> {
  await refused(401, 'unauthenticated', new StatesApi(new Configuration({ basePath: url })).getState('ts:none'))
  await roundStates()
  await roundLock()
  console.log(`TypeScript: ${ids.length} states and a lock went round`)
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
