//go:build !linux

package dsp

import "testing"

// fenced returns memory for n values.
func fenced[T any](_ testing.TB, n int) []T { return make([]T, n) }
