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

// Limits of takes: their length in seconds, and the power of the loudest 48 ms below which a take is silent.
const (
	shortest, longest = 0.05, 10.0
	inaudible         = 1e-8 // -80 dB
)

// byLength lists the kinds by the typical length of their sounds, shortest first.
var byLength = [...]Kind{Step, Pickup, Laser, Gun, Clang, Speech, Bell, Explosion, Engine, Wind}

// KindOf returns the kind of sound that the path file names. It compares the first word of the base name, as in
// gun-1.wav, with the names of kinds, then the folders, the nearest first. Case is ignored. If the path names no kind,
// the result is false.
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

// AssignKinds makes a corpus of the user's sources: it assigns each a kind and a name such as gun1. The corpus is
// sorted by kind, then by file. The result unused lists the sources that cannot be used, with the reason. They are
// shorter than 50 ms, longer than 10 s, inaudible, too deep, or a single click.
//
// The kind is the kind that the path of the file names; see KindOf. The other sources are assigned by length, in ten
// equal parts. The shortest are steps, then pick-ups, lasers, guns, clangs, speech, bells and explosions follow.
// Engines and winds are the longest. Sources beyond full scale are attenuated to full scale.
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

// Lacks returns the kinds of sounds that do not occur in corpus. If all occur, it returns nil. NewScene may panic if a
// kind is missing.
func Lacks(corpus []Recording) []Kind {
	var none []Kind
	for k := range Kind(len(kindNames)) {
		if !slices.ContainsFunc(corpus, func(r Recording) bool { return r.Kind == k }) {
			none = append(none, k)
		}
	}
	return none
}

// unfit returns the reason why the recording cannot be used, or "" if it can. Reasons are a length outside 50 ms to 10
// s, silence, and too high a peak after scaling by levels, as in a single click.
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

// integers converts samples to 16 bits. An input of 1 is full scale. Samples that were converted from 16 bits get
// their old values back. If a sample exceeds full scale, all samples are attenuated by the same factor first.
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
