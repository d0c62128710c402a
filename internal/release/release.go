// Package release stores words with release semantics: a goroutine that loads the word also sees all earlier
// stores of the writer. It gives no other guarantee: a later load of the writer may be executed before the
// store is visible. Two sides that each store a word and then load the other's word need sync/atomic. Audio
// side.
//
// On amd64 such a store is a plain store, because the processor keeps stores in order and stores an aligned
// word as a whole. The exchange instruction of sync/atomic waits until all earlier stores have reached the
// cache.
package release
