package audiotest

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/listening"
	"voicepool/internal/words"
	"voicepool/sounds"
)

// namedSound is a sound to search for in a recording, with an optional name.
type namedSound struct {
	name  string
	sound *sounds.Sound
}

// Knows adds sounds that Heard and Never can search for in the recording, by sounds.Sound.Name or by the end
// of the path of the file.
func (r *Recording) Knows(sounds ...*sounds.Sound) {
	for _, s := range sounds {
		r.known = append(r.known, namedSound{"", s})
	}
}

// KnowsNamed is Knows for sounds with other names, such as the sounds of a bank: r.KnowsNamed(b.Sounds()).
// Several sounds with one name are its variations. A stream can be added, but Heard and Never cannot find it.
func (r *Recording) KnowsNamed(sounds iter.Seq2[string, *sounds.Sound]) {
	for name, s := range sounds {
		r.known = append(r.known, namedSound{name, s})
	}
}

// Heard asserts that a sound added with Knows is heard in the recording. It finds the sound only at its
// original pitch, and only where it has at least a quarter of the power, which is a correlation of at least
// 0.5. If a name has variations, any of them matches. Level and side assertions then measure the whole
// recording during the sound. The sound must be loaded, have the recording's sample rate, and not be silent.
func (r *Recording) Heard(name string) *Heard {
	r.t.Helper()
	h := &Heard{base: &r.mixRecording, name: strconv.Quote(name), track: &r.mix}
	all, best, ok := r.find(name)
	for _, m := range all {
		h.occurrences = append(h.occurrences, occurrence{span: span{m.At, min(m.At+m.Frames, r.frames)}, onsets: []int64{m.At}})
	}
	if ok && all == nil {
		r.fail("%q is not heard: the best correlation is %.2f, want 0.5", name, best)
	}
	return h
}

// Never asserts that a sound added with Knows does not occur in the recording, by the criterion of Heard.
func (r *Recording) Never(name string) {
	r.t.Helper()
	all, _, _ := r.find(name)
	var at []int64
	for _, m := range all {
		at = append(at, m.At)
	}
	if at != nil {
		r.fail("%q is heard at %s, want never", name, r.formatTimes(at))
	}
}

// find returns the matches of the sounds with a name, in their order, and the best correlation, 0..1. If the sounds
// of the name cannot be searched for, it fails the test and returns false.
func (r *Recording) find(name string) (all []listening.Match, best float64, ok bool) {
	r.t.Helper()
	meant := r.lookUp(name)
	if meant == nil {
		return nil, 0, false
	}
	for _, s := range meant {
		switch {
		case s.Streamed():
			r.fail("%q is a stream, and only loaded sounds can be found in a recording", name)
		case s.Rate() != r.rate:
			r.fail("%q is at %d Hz, the recording at %d Hz; load it at that rate to find it there", name, s.Rate(), r.rate)
		default:
			continue
		}
		return nil, 0, false
	}
	all, best = listening.Find(r.Frames(), meant...)
	return all, best, true
}

// lookUp returns the sounds that a name refers to: the sounds added under that name, or else the single sound with
// that name, or else the single sound whose path ends with it. It fails the test and returns nil if the name is
// unknown or ambiguous.
func (r *Recording) lookUp(name string) (sounds []*sounds.Sound) {
	r.t.Helper()
	pick := func(means func(n namedSound) bool) {
		for _, n := range r.known {
			if means(n) && !slices.Contains(sounds, n.sound) {
				sounds = append(sounds, n.sound)
			}
		}
	}
	if pick(func(n namedSound) bool { return n.name != "" && n.name == name }); sounds != nil {
		return sounds
	}
	if pick(func(n namedSound) bool { return n.sound.Name() == name }); sounds == nil {
		pick(func(n namedSound) bool {
			return n.sound.File() != "" && strings.HasSuffix("/"+n.sound.File(), "/"+name)
		})
	}
	switch {
	case len(sounds) == 1:
		return sounds
	case sounds != nil:
		var files []string
		for _, s := range sounds {
			files = append(files, cmp.Or(s.File(), "a sound without a file"))
		}
		slices.Sort(files)
		r.fail("%q is %s; write the path of one, or give them names with KnowsNamed", name, strings.Join(files, " and "))
		return nil
	}
	var names []string
	for _, n := range r.known {
		if strings.Contains(name, "/") {
			names = append(names, n.sound.File())
		} else {
			names = append(names, n.name, n.sound.Name())
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if len(names) == 0 {
		r.fail("no sound is called %q: the recording knows no sounds; call r.Knows(sounds...)", name)
	} else {
		r.fail("no sound is called %q; the nearest is %q; if the game has it, pass its sound to r.Knows",
			name, words.Nearest(name, names))
	}
	return nil
}
