// Package trial renders what a pool would play under several policies and with pools
// of several sizes, and compares the mixes with one in which nothing gives way: the
// figures and tables of voicepool compare, tune and stealbench.
package trial
