package bank

import (
	"slices"

	"voicepool/mixer"
)

// MusicEvent is a beat or a marker that a theme has played.
type MusicEvent struct {
	Segment string
	Marker  string // without the name of the segment; empty for a beat
	Bar     int    // from 1; 0 for a marker before bar 1
	Beat    int    // in the bar, from 1; a marker has the beat before it
	Frame   int64  // the exact frame of the mix
}

// maxMusicEvents is the number of events that wait for Events.
const maxMusicEvents = 256

// Events stores in dst the beats and markers that the theme has played since the last call, in the order of their
// frames, and returns their number. The rest waits for the next call; of more than 256 waiting events the oldest are
// lost. The first call returns 0 and allocates; call it before Play to get the first beat.
//
// A pause or a seek that does not come from a method of Music, such as a pause of the bus, may lose or repeat the
// events between two calls. After PlayAt for a later frame, the earlier play has no events until that frame. After Stop
// the beats of the fade-out since the last call before its end are lost.
func (mu *Music) Events(dst []MusicEvent) int {
	free := mu.tryTurn()
	defer mu.unlock(free)
	mu.locate(free)
	if mu.events == nil {
		mu.events = make([]MusicEvent, 0, maxMusicEvents)
	}
	n := copy(dst, mu.events)
	mu.events = slices.Delete(mu.events, 0, n)
	return n
}

// collect stores the events between the place before and the anchor. playing is the result of follow. The caller holds
// Bank.mu.
func (mu *Music) collect(before anchor, playing bool) {
	if mu.events == nil || len(mu.chain) == 0 {
		return
	}
	if !playing {
		if now := mu.bank.mixer.Now(); mu.voice(len(mu.chain)-1).State() == mixer.StateEnded && now > before.frame {
			mu.extrapolate(now)
			mu.pass(before, before.frame, now-before.frame)
		}
		return
	}
	to := mu.anchor
	frame, n := before.frame, to.frame-before.frame
	expected := part{chain: mu.chain, anchor: before}
	expected.extrapolate(to.frame)
	if e := expected.anchor; e.voice != to.voice || e.position != to.position {
		played := to.position - before.position
		for _, s := range mu.chain[before.voice:max(before.voice, to.voice)] {
			played += s.Frames
		}
		if played < 0 {
			played += mu.chain[to.voice].Loop.Frames()
		}
		if played < 0 || played > n { // a seek
			return
		}
		if before.paused {
			frame = to.frame - played
		}
		n = played
	} else if before.paused {
		return
	}
	mu.pass(before, frame, n)
}

// pass stores the events of the n frames that the theme plays from the place a on, which is at the given frame of the
// mix. The caller holds Bank.mu.
func (mu *Music) pass(a anchor, frame, n int64) {
	for n > 0 && mu.events != nil && a.voice < len(mu.chain) {
		s := mu.chain[a.voice]
		end, after := s.Frames, anchor{voice: a.voice + 1}
		if s.Loop[1] > max(a.position, 0) {
			end, after = s.Loop[1], anchor{voice: a.voice, position: s.Loop[0]}
		}
		count := min(n, max(end-a.position, 0))
		s.Cross(a.position, a.position+count, func(position int64, marker string) {
			if len(mu.events) == maxMusicEvents {
				mu.events = slices.Delete(mu.events, 0, 1)
			}
			bar, beat := s.At(position)
			mu.events = append(mu.events, MusicEvent{s.Name, marker, bar, beat, frame + position - a.position})
		})
		n, frame, a.position = n-count, frame+count, a.position+count
		if a.position >= end {
			a = after
		}
	}
}
