package audiotest

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/words"
	"voicepool/voice"
)

// named is a sound that may be heard in a recording, and what it is called there.
type named struct {
	name  string
	sound *voice.Sound
}

// Knows says which sounds may be in the recording. Heard and Never then take their names,
// voice.Sound.Name, or the ends of the paths of their files.
func (r *Recording) Knows(sounds ...*voice.Sound) {
	for _, s := range sounds {
		r.known = append(r.known, named{"", s})
	}
}

// KnowsNamed is Knows for sounds that have names of their own, such as all those of a bank:
// r.KnowsNamed(b.Sounds()). Several sounds of one name are variations of it. What is
// streamed can be named, but not found.
func (r *Recording) KnowsNamed(sounds iter.Seq2[string, *voice.Sound]) {
	for name, s := range sounds {
		r.known = append(r.known, named{name, s})
	}
}

// Heard asserts that a sound that the recording knows is heard in it, at its own pitch,
// wherever it makes up at least a quarter of the power: the correlation with it is 0.5 or
// more. Of a name with variations any one will do. Level and side are then those of the
// recording while the sound lasts, whatever else is heard. The sound has to be loaded, of
// the recording's rate and not silent.
func (r *Recording) Heard(name string) *Heard {
	r.t.Helper()
	h := &Heard{take: &r.take, name: strconv.Quote(name), track: &r.mix}
	all, best, ok := r.find(name)
	for _, m := range all {
		h.heard = append(h.heard, hearing{span{m.at, min(m.at+m.frames, r.frames)}, []int64{m.at}})
	}
	if ok && all == nil {
		r.fail("%q is not heard: the best correlation is %.2f, want 0.5", name, best)
	}
	return h
}

// Never asserts that a sound that the recording knows is nowhere heard in it, as Heard
// looks for it.
func (r *Recording) Never(name string) {
	r.t.Helper()
	all, _, _ := r.find(name)
	var at []int64
	for _, m := range all {
		at = append(at, m.at)
	}
	if at != nil {
		r.fail("%q is heard at %s, want never", name, r.listed(at))
	}
}

// find returns where the sounds of a name are heard, and the best correlation of all. It
// fails the test where they cannot be looked for.
func (r *Recording) find(name string) (all []match, best float64, ok bool) {
	r.t.Helper()
	meant := r.meant(name)
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
	for _, s := range meant {
		found, most := find(r.Frames(), s)
		all, best = append(all, found...), max(best, most)
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(a.at, b.at) })
	var kept []match
	for _, m := range all {
		kept = keep(kept, m)
	}
	return kept, best, true
}

// meant returns the sounds that a name means: those of a name of their own, or else the one
// of a name, or of the end of the path of a file. It fails the test where there is none,
// or where it does not choose.
func (r *Recording) meant(name string) (sounds []*voice.Sound) {
	r.t.Helper()
	pick := func(means func(n named) bool) {
		for _, n := range r.known {
			if means(n) && !slices.Contains(sounds, n.sound) {
				sounds = append(sounds, n.sound)
			}
		}
	}
	if pick(func(n named) bool { return n.name != "" && n.name == name }); sounds != nil {
		return sounds
	}
	if pick(func(n named) bool { return n.sound.Name() == name }); sounds == nil {
		pick(func(n named) bool {
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
		r.fail("nothing is called %q: the recording knows no sounds; say r.Knows(sounds...)", name)
	} else {
		r.fail("nothing is called %q; the nearest is %q; if the game has it, let r.Knows have its sound",
			name, words.Nearest(name, names))
	}
	return nil
}
