package main

import "voicepool/internal/words"

// The words of messages, by short names.
var (
	oneLine = words.OneLine
	plain   = words.Plain
	seconds = words.Seconds
	count   = words.Count
	cause   = words.Cause
)
