package main

import (
	"context"

	"voicepool/sounds"
	"voicepool/sounds/watch"
	"voicepool/voice"
)

// watch has files that change on disk played anew until ctx ends.
func (s *performance) watch(ctx context.Context, bank *sounds.Bank) {
	err := watch.Files(ctx, bank, func(old, now *voice.Sound, err error) {
		switch {
		case err != nil:
			s.console.say("%s; the old sound goes on", message(err))
		case s.player.Replace(old, now):
			s.console.say("%s: read again", oneLine(now.Name()))
		}
	})
	if err != nil {
		s.console.say("%s", message(err))
	}
}
