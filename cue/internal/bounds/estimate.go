package bounds

import (
	"slices"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/sounds"
)

// Simplified returns a copy of s that is cheaper to play without mixing. The copy plays as long and with as many voices
// as s. Only sounds whose pitch moves keep their quality; all other sounds use linear interpolation.
//
// missing are the errors of the files that could not be loaded. lost is the number of sounds with such a file. In the
// copy, cues that start such a sound send a message instead.
func Simplified(s *cue.Sheet, missing rules.Errors) (simple *cue.Sheet, lost int) {
	lostFiles := map[yaml.Position]bool{}
	for _, m := range missing {
		lostFiles[yaml.Position{Line: m.Line, Column: m.Column}] = true
	}
	out := *s
	out.Sounds, out.Cues = slices.Clone(s.Sounds), slices.Clone(s.Cues)
	unloadable, bending := make([]bool, len(out.Sounds)), movable(runsheet.Scheduled(s))
	for i := range out.Sounds {
		one := &out.Sounds[i]
		// The interpolation of a moving pitch affects the last frame: a voice that switches mip levels adds
		// up its steps differently.
		one.Quality, one.MaxPitch = new(sounds.Linear), 0
		if bending[i] {
			one.Quality = new(s.QualityOf(&s.Sounds[i]))
		}
		unloadable[i] = slices.ContainsFunc(one.Files, func(f rules.File) bool {
			return lostFiles[yaml.Position{Line: f.Line, Column: f.Column}]
		})
		if unloadable[i] {
			one.Files = nil
			lost++
		}
	}
	for i := range out.Cues {
		for _, start := range s.Cues[i].Starts() {
			if unloadable[start.Sound] { // replaced by a message, which is not sent
				out.Cues[i].Action = &cue.Message{}
			}
		}
	}
	return &out, lost
}

// WithLargePool returns a copy of s for finding out how many voices it needs. The pool of the copy has one voice for
// every start, repetitions and layers included, but at least 1 and at most mixer.MaxVoices. The pool keeps that size:
// it does not grow, and cues and scenes do not resize it.
func WithLargePool(s *cue.Sheet) *cue.Sheet {
	starts := uint64(0)
	for _, c := range runsheet.Scheduled(s).Active() {
		for range c.Starts() {
			starts = min(starts+min(c.Times, mixer.MaxVoices), mixer.MaxVoices)
		}
	}
	out := *s
	if out.Voices = int(max(starts, 1)); out.Overflow == mixer.GrowPool {
		out.Overflow, out.Grow = mixer.StealQuietest, rules.Grow{} // a growing pool applies bus limits in this way
	}
	out.Cues, out.Scenes = slices.Clone(s.Cues), slices.Clone(s.Scenes)
	for i := range out.Cues {
		if _, is := out.Cues[i].Action.(*cue.Resize); is {
			out.Cues[i].Action = &cue.Resize{Voices: out.Voices}
		}
	}
	for i := range out.Scenes {
		out.Scenes[i].Voices = 0
	}
	return &out
}
