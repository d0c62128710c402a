// Package release stores words that other goroutines read: whoever sees one sees all that was stored
// before it. Nothing more is promised: what the writer reads next may be read before others see
// the word. Where that matters, as where two sides each store a word and look at the other's, take
// sync/atomic. Audio side.
//
// On amd64 such a store is a plain one, for the processor keeps stores in order, and an aligned word is
// stored as a whole. The exchange that sync/atomic makes of a store waits until all stores before it have
// reached the cache. That costs as much as ten of them, and much more where they go to memory that no
// cache holds.
package release
