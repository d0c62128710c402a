// Package oracles compares results of the project with those of other libraries, which are
// too heavy for the library to require.
package oracles
