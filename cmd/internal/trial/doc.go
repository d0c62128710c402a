// Package trial renders a sheet under several policies and sizes of the pool, and compares
// the mixes with one in which nothing is stolen. It has the figures and tables of voicepool
// compare, tune and stealbench.
package trial
