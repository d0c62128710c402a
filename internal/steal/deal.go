package steal

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// Take is a sound that somebody has, to be dealt into a corpus.
type Take struct {
	File    string    // its path, with slashes, unlike any other's; the kind may stand in it
	Samples []float32 // mono, at Rate
}

// Left is a take that no corpus has a use for.
type Left struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// The lengths in seconds that a corpus has a use for, and the power of the loudest
// 50 ms under which a take is silent.
const (
	shortest, longest = 0.05, 10.0
	inaudible         = 1e-8 // -80 dB
)

// byLength are the kinds in the order of how long their sounds are.
var byLength = [...]Kind{Step, Pickup, Laser, Gun, Clang, Speech, Bell, Explosion, Engine, Wind}

// KindOf returns the kind that a file is called by: by the first word of its name,
// as in gun-1.wav, or else by its nearest folder of such a name. Case does not
// count.
func KindOf(file string) (Kind, bool) {
	folder, name := path.Split(strings.ToLower(file))
	if end := strings.IndexFunc(name, func(c rune) bool { return c < 'a' || c > 'z' }); end >= 0 {
		name = name[:end]
	}
	names := strings.Split(folder, "/")
	names = append(names, name)
	for _, name := range slices.Backward(names) {
		if k := slices.Index(kindNames[:], name); k >= 0 {
			return Kind(k), true
		}
	}
	return 0, false
}

// Deal makes a corpus of takes, in the order of kinds and then of files, and says
// which it leaves out: those shorter than 50 ms or longer than 10 s, and those
// without anything to be heard. Those whose file names no kind are dealt by
// their length, in ten equal parts: the shortest are steps, then come pick-ups,
// lasers, guns, clangs, speech, bells, explosions, engines, and the longest are
// winds. What is louder than full scale is brought down to it.
func Deal(takes []Take) (corpus []Recording, left []Left) {
	var rest []Recording
	for _, t := range takes {
		r := Recording{File: t.File, Samples: integers(t.Samples)}
		if reason := r.unfit(); reason != "" {
			left = append(left, Left{t.File, reason})
			continue
		}
		var named bool
		if r.Kind, named = KindOf(t.File); named {
			corpus = append(corpus, r)
		} else {
			rest = append(rest, r)
		}
	}
	slices.SortFunc(rest, func(a, b Recording) int {
		return cmp.Or(cmp.Compare(len(a.Samples), len(b.Samples)), strings.Compare(a.File, b.File))
	})
	for i := range rest {
		rest[i].Kind = byLength[i*len(byLength)/len(rest)]
	}
	corpus = append(corpus, rest...)
	slices.SortFunc(corpus, func(a, b Recording) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.File, b.File))
	})
	counts := map[Kind]int{}
	for i := range corpus {
		r := &corpus[i]
		counts[r.Kind]++
		r.Name = fmt.Sprintf("%v%d", r.Kind, counts[r.Kind])
	}
	return corpus, left
}

// Lacks returns the kinds of which a corpus has no sound: with any, no scene can be
// made.
func Lacks(corpus []Recording) []Kind {
	var none []Kind
	for k := range Kind(len(kindNames)) {
		if !slices.ContainsFunc(corpus, func(r Recording) bool { return r.Kind == k }) {
			none = append(none, k)
		}
	}
	return none
}

// unfit says why a recording is of no use, or nothing.
func (r *Recording) unfit() string {
	switch seconds := float64(len(r.Samples)) / Rate; {
	case seconds < shortest:
		return "shorter than 50 ms"
	case seconds > longest:
		return "longer than 10 s"
	}
	samples, _, most := levels(r)
	if most < inaudible {
		return "silent"
	}
	for _, x := range samples {
		if !(math.Abs(float64(x)) <= loudest) {
			return "a click, or too deep to be heard"
		}
	}
	return ""
}

// loudest is the largest sample that a voice may have.
const loudest = 8

// integers makes 16 bits of samples, the very ones where they were made of 16 bits.
func integers(samples []float32) []int16 {
	top := float32(1)
	for _, x := range samples {
		top = max(top, x, -x)
	}
	out := make([]int16, len(samples))
	for i, x := range samples {
		out[i] = int16(min(math.Floor(float64(x/top)*32768+0.5), 32767))
	}
	return out
}
