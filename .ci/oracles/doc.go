// Package oracles holds tests that compare what the project computes with what
// others do, where that is too heavy for the library to require.
package oracles
