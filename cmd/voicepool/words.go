package main

import (
	"context"

	"voicepool/cmd/internal/console"
	"voicepool/cue"
	"voicepool/internal/words"
)

// The words of messages, by short names.
var (
	oneLine = words.OneLine
	seconds = words.Seconds
	count   = words.Count
	cause   = words.Cause
)

// loadSheet is cue.Load, until ctx ends.
func loadSheet(ctx context.Context, path string) (*cue.Sheet, error) {
	return console.Within(ctx, func() (*cue.Sheet, error) { return cue.Load(path) })
}
