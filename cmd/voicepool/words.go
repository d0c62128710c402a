package main

import "voicepool/internal/words"

// The words of messages, by short names.
var (
	oneLine = words.OneLine
	plain   = words.Plain
	seconds = words.Seconds
	count   = words.Count
	tally   = words.Tally
	ranked  = words.Ranked
	clock   = words.Clock
	cause   = words.Cause
)

func ref[T any](x T) *T { return &x }
