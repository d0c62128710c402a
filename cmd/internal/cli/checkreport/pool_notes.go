package checkreport

import (
	"fmt"
	"strings"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// gameUpdate is the time between two updates of a game at 60 Hz, rounded up.
const gameUpdate = 17 * time.Millisecond

// yielding is an importance in dB. PoolNotes accepts an endless loop with this importance or less at the priority of
// sounds that end. A smaller reduction seldom makes it the least audible.
const yielding = -6

// PoolNotes returns notes about settings in `sounds` of sheet that often have an unwanted effect in a game or a full
// pool: an endless loop with the priority of a sound that ends, music that can be stolen, and a cooldown within one
// update of a game. It returns only the last one if canSteal is false: then the pool never steals. If several sounds have
// the same setting, the note is at the first of them. Sounds with layers are not checked.
func PoolNotes(sheet *cue.Sheet, canSteal bool) rules.Errors {
	finite := map[int]string{} // by priority: the first sound that ends by itself
	for i := range sheet.Sounds {
		s := &sheet.Sounds[i]
		if _, found := finite[s.Priority]; !found && s.Listed && len(s.Files) > 0 && !isEndless(s) && !isMusic(s) {
			finite[s.Priority] = s.Name
		}
	}
	var list rules.Errors
	note := func(about func(*rules.Sound) string) {
		var first *rules.Error
		more := 0
		for i := range sheet.Sounds {
			s := &sheet.Sounds[i]
			if !s.Listed || len(s.Files) == 0 {
				continue
			}
			switch message := about(s); {
			case message == "":
			case first == nil:
				first = &rules.Error{File: sheet.File, Line: s.Files[0].Line, Column: s.Files[0].Column,
					Msg: fmt.Sprintf("sound %q %s", words.OneLine(s.Name), message)}
			default:
				more++
			}
		}
		if more > 0 {
			first.Msg += fmt.Sprintf(" (and %s like it)", words.Count(more, "sound"))
		}
		if first != nil {
			list = append(list, first)
		}
	}
	if canSteal {
		note(func(s *rules.Sound) string {
			rival, found := finite[s.Priority]
			if !found || !isEndless(s) || isMusic(s) || s.Protect || s.WhenFull == mixer.WhenFullEnd || s.Importance <= yielding {
				return ""
			}
			return fmt.Sprintf("loops endlessly with the priority of %q (%d), so in a full pool it can take the voice of a sound that ends; give it a lower priority, or an importance of %d dB or less",
				words.OneLine(rival), s.Priority, yielding)
		})
		note(func(s *rules.Sound) string {
			if !isMusic(s) || s.Priority > 0 || s.Protect { // a start steals at equal priority, whatever the importance
				return ""
			}
			return "is music that a sound effect can steal; give it a priority above 0, or `protect: true`"
		})
	}
	note(func(s *rules.Sound) string {
		if d := s.Cooldown.Duration(sheet.Rate); d <= 0 || d >= gameUpdate || !s.Coalesce.Within.IsZero() {
			return ""
		}
		return fmt.Sprintf("has a cooldown below 17 ms, so a game loses only starts of the same update; `coalesce: %v` plays them as one louder voice", s.Cooldown)
	})
	return list
}

// isEndless reports whether s loops until it is stopped.
func isEndless(s *rules.Sound) bool { return s.Loop && s.Rounds == 0 }

// isMusic reports whether s is music: a loop or a stream on a bus whose name begins with "music".
func isMusic(s *rules.Sound) bool {
	return (s.Loop || s.Stream) && strings.HasPrefix(strings.ToLower(s.Bus), "music")
}
