package main

import text "voicepool/internal/words"

// The words of messages, by short names.
var (
	oneLine = text.OneLine
	plain   = text.Plain
	seconds = text.Seconds
	count   = text.Count
	tally   = text.Tally
	ranked  = text.Ranked
	cause   = text.Cause
)

func ref[T any](x T) *T { return &x }
