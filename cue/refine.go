package cue

import (
	"context"
	"runtime"
	"sync"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// quality returns how a sound is read.
func (s *Sheet) quality(sound int) voice.Quality {
	if q := s.Sounds[sound].Quality; q != nil {
		return *q
	}
	return s.Quality
}

// span is what a pitch can come to, in semitones. The zero value rests at 0.
type span struct{ least, most float64 }

func (a span) with(x float64) span { return span{min(a.least, x), max(a.most, x)} }

func (a span) plus(b span) span { return span{a.least + b.least, a.most + b.most} }

func at(x float64) span { return span{x, x} }

func speeds(ratio float64) float64 { return float64(pcm.FromRatio(ratio)) }

// pitches is what the pitches of the voices of an id, and of a bus, can come to
// besides what they begin with.
type pitches struct {
	sets  map[uint64][]*mixer.Change // by the tag of the id
	buses map[string]span
}

func (s *Sheet) pitches() pitches {
	p := pitches{map[uint64][]*mixer.Change{}, map[string]span{}}
	own := map[string]span{}
	for i := range s.Buses {
		own[s.Buses[i].Name] = at(float64(s.Buses[i].Pitch))
	}
	for i := range s.Cues {
		c := &s.Cues[i]
		switch {
		case c.Verb != Set && c.Verb != Fade:
		case c.Scope == OnID:
			p.sets[c.tag] = append(p.sets[c.tag], &c.Change)
		case c.Scope == OnBus && c.Change.Fields&mixer.Pitch != 0:
			own[c.Target] = own[c.Target].with(float64(c.Change.Pitch))
		}
	}
	parents := map[string]string{}
	for i := range s.Buses {
		parents[s.Buses[i].Name] = s.Buses[i].Parent
	}
	for name := range own {
		sum := own[name]
		for up := parents[name]; up != "" && up != "master"; up = parents[up] {
			sum = sum.plus(own[up])
		}
		p.buses[name] = sum
	}
	return p
}

// version is one of a sound's.
type version struct {
	sound  *voice.Sound
	level  int
	looped bool
}

// versions returns all versions of sounds that the cues can come to need.
func (s *Sheet) versions(all []loaded) []version {
	var out []version
	seen := map[version]bool{}
	need := func(sounds []*voice.Sound, looped bool, pitch span) {
		from, to := voice.LevelOf(pcm.Semitones(pitch.least)), voice.LevelOf(pcm.Semitones(pitch.most))
		if pitch.least != pitch.most {
			from, to = max(from, 0), max(to, 0)
		}
		for _, sound := range sounds {
			for level := max(from, 0); level <= to && sound.Refines(); level++ {
				if v := (version{sound, level, looped}); !seen[v] {
					seen[v] = true
					out = append(out, v)
				}
			}
		}
	}
	pitches := s.pitches()
	for i := range s.Cues {
		c := &s.Cues[i]
		if c.Verb != Play || s.quality(c.Sound) != voice.Best {
			continue
		}
		sound := &s.Sounds[c.Sound]
		pitch, speed := at(float64(c.Change.Pitch)), at(0)
		if c.Change.Speed != 0 {
			speed = at(speeds(c.Change.Speed))
		}
		leaves := c.Loop && c.Rounds != 0
		if c.tag != 0 {
			for _, set := range pitches.sets[c.tag] {
				if set.Fields&mixer.Pitch != 0 {
					pitch = pitch.with(float64(set.Pitch))
				}
				if set.Fields&mixer.Speed != 0 {
					speed = speed.with(speeds(set.Speed))
				}
				leaves = leaves || set.Fields&mixer.Rounds != 0
			}
		}
		base := span{sound.Pitch.From, sound.Pitch.To}
		total := base.plus(at(speeds(sound.Speed))).plus(pitch).plus(speed).plus(pitches.buses[c.Bus])
		if sound.MaxPitch > 0 {
			total = total.with(float64(sound.MaxPitch))
		}
		need(all[c.Sound].files(c.Loop), c.Loop, total)
		if leaves {
			need(all[c.Sound].files(c.Loop), !c.Loop, total)
		}
	}
	return out
}

// refine makes them, as many at a time as there are processors. When ctx ends it
// is its error.
func (s *Sheet) refine(ctx context.Context, all []loaded) error {
	versions := s.versions(all)
	next := make(chan version)
	var wait sync.WaitGroup
	for range min(len(versions), runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for v := range next {
				v.sound.Refine(v.level, v.looped)
			}
		})
	}
	for _, v := range versions {
		if ctx.Err() != nil {
			break
		}
		next <- v
	}
	close(next)
	wait.Wait()
	return ctx.Err()
}
