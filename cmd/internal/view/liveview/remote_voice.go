package liveview

import (
	"cmp"
	"slices"

	"voicepool/cue/report"
)

// RemoteVoice is a voice of a Picture from another source, such as a server.
type RemoteVoice struct {
	Slot     int
	Number   uint64
	Sound    string
	Colour   int     // color index of the sound
	Level    float64 // dB
	Pan      float64
	Looping  bool
	Paused   bool
	Silent   bool          // inaudible
	Victim   *report.Event // the voice that lost the slot to this one, or nil
	SinceWon int64         // frames since then
}

// With returns a copy of the picture with the given voices and events instead of its own. They come from another
// source, such as a server. The voices of the copy are sorted by slot. The slice voices is not changed.
func (p Picture) With(voices []RemoteVoice, events []report.Event) Picture {
	p.events = events
	p.voices = make([]voiceLane, 0, len(voices))
	for _, v := range voices {
		p.voices = append(p.voices, voiceLane{
			slot: v.Slot, number: v.Number, sound: v.Sound, colour: v.Colour, level: v.Level, pan: v.Pan,
			looping: v.Looping, paused: v.Paused, silent: v.Silent, victim: v.Victim, age: v.SinceWon,
		})
	}
	slices.SortFunc(p.voices, func(x, y voiceLane) int { return cmp.Compare(x.slot, y.slot) })
	return p
}
