package performance

import (
	"context"

	"voicepool/cmd/internal/console"
	"voicepool/internal/words"
	"voicepool/sounds"
	"voicepool/sounds/watch"
	"voicepool/voice"
)

// watch has files that change on disk played anew until ctx ends.
func (s *performance) watch(ctx context.Context, bank *sounds.Bank) {
	err := watch.Files(ctx, bank, func(old, now *voice.Sound, err error) {
		switch {
		case err != nil:
			s.console.Say("%s; the old sound goes on", console.Message(err))
		case s.player.Replace(old, now):
			s.console.Say("%s: read again", words.OneLine(now.Name()))
		}
	})
	if err != nil {
		s.console.Say("%s", console.Message(err))
	}
}
