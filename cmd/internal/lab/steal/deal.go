package steal

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// Source is a sound supplied by the user for a corpus.
type Source struct {
	File    string    // unique path, with slashes; it may contain the kind
	Samples []float32 // mono, at Rate
}

// Unused is a source that was not used.
type Unused struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Limits of takes: their length in seconds, and the power of the loudest 50 ms below which a take is silent.
const (
	shortest, longest = 0.05, 10.0
	inaudible         = 1e-8 // -80 dB
)

// byLength lists the kinds by the typical length of their sounds, shortest first.
var byLength = [...]Kind{Step, Pickup, Laser, Gun, Clang, Speech, Bell, Explosion, Engine, Wind}

// KindOf returns the kind that the path file contains: as the first word of the base name, as in gun-1.wav, or else
// as the name of the nearest folder. Case is ignored. Without such a name the result is false.
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

// AssignKinds makes a corpus of sources, sorted by kind and then by file, with names such as gun1. The result unused
// lists the unusable sources with the reason: sources shorter than 50 ms or longer than 10 s, inaudible ones, and
// single clicks.
//
// Sources whose file names contain no kind are assigned by length, in ten equal parts: the shortest are steps, then
// pick-ups, lasers, guns, clangs, speech, bells and explosions follow; engines and winds are the longest. Sources
// beyond full scale are attenuated to full scale.
func AssignKinds(sources []Source) (corpus []Recording, unused []Unused) {
	var unassigned []Recording
	for _, t := range sources {
		r := Recording{File: t.File, Samples: integers(t.Samples)}
		if reason := r.unfit(); reason != "" {
			unused = append(unused, Unused{t.File, reason})
			continue
		}
		var named bool
		if r.Kind, named = KindOf(t.File); named {
			corpus = append(corpus, r)
		} else {
			unassigned = append(unassigned, r)
		}
	}
	slices.SortFunc(unassigned, func(a, b Recording) int {
		return cmp.Or(cmp.Compare(len(a.Samples), len(b.Samples)), strings.Compare(a.File, b.File))
	})
	for i := range unassigned {
		unassigned[i].Kind = byLength[i*len(byLength)/len(unassigned)]
	}
	corpus = append(corpus, unassigned...)
	slices.SortFunc(corpus, func(a, b Recording) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.File, b.File))
	})
	counts := map[Kind]int{}
	for i := range corpus {
		r := &corpus[i]
		counts[r.Kind]++
		r.Name = fmt.Sprintf("%v%d", r.Kind, counts[r.Kind])
	}
	return corpus, unused
}

// Lacks returns the kinds that have no sound in corpus, or nil. With such a kind, NewScene panics.
func Lacks(corpus []Recording) []Kind {
	var none []Kind
	for k := range Kind(len(kindNames)) {
		if !slices.ContainsFunc(corpus, func(r Recording) bool { return r.Kind == k }) {
			none = append(none, k)
		}
	}
	return none
}

// unfit returns the reason why the recording cannot be used, or "" if it can: a wrong length, silence, or peaks too
// high at the listening level of levels.
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

// integers converts samples, where 1 is full scale, to 16 bits. Samples that were 16 bits before keep their values.
// If a sample exceeds full scale, all samples are attenuated by the same factor.
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
