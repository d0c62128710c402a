package main

import (
	"cmp"
	"slices"

	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/mixer"
)

// picture is what there is to see at one moment.
type picture struct {
	rate        int
	stats       mixer.Stats
	left, right float32        // the highest samples since the last picture
	voices      []lane         // by slot
	events      []report.Event // since the last picture
}

// lane is a voice in a picture.
type lane struct {
	slot   int
	number uint64
	sound  string
	level  float64 // dB
	pan    float64
	loop   bool
	paused bool
	mute   bool // its bus is muted, or beside a soloed one
	// Who lost the slot to it, and how many frames ago.
	victim *report.Event
	age    int64
}

// look makes a picture of what a player plays.
func (b *board) look(p *cue.Player) picture {
	now := picture{rate: b.sheet.Rate, stats: p.Mixer().Stats()}
	now.left, now.right = p.Levels()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	frame := now.stats.Frame
	// Events may be a little behind the frames that are mixed.
	b.advance(frame - int64(b.sheet.Rate)/50)
	for _, v := range b.voices {
		if v.number == 0 {
			continue
		}
		v.advance(frame)
		l := lane{slot: v.slot, number: v.number, sound: v.sound, level: v.level(), pan: v.pan.at(frame), loop: v.loop, paused: v.paused}
		if b.silenced(v.bus) {
			l.level, l.mute = barBottom, true
		}
		if v.victim != nil {
			l.victim, l.age = v.victim, max(frame-v.victim.Frame, 0)
		}
		now.voices = append(now.voices, l)
	}
	slices.SortFunc(now.voices, func(x, y lane) int { return cmp.Compare(x.slot, y.slot) })
	now.events, b.recent = b.recent, nil
	return now
}
