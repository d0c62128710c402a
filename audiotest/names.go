package audiotest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicepool/internal/words"
	"voicepool/mixer"
)

// Knows says that the game has sounds of these names, whether it plays them or not. Without
// it Never refuses a name that was not played, since it may be misspelt. The names of a
// bank that plays on the mixer are known.
func (a *Audio) Knows(names ...string) { a.may = append(a.may, names...) }

// all returns the stems that there are or may be, in an order of their own.
func (a *Audio) all() []mixer.Stem {
	stems := map[mixer.Stem]bool{}
	for of := range a.mixer.Stems(0) {
		stems[of] = true
	}
	for _, of := range a.mixer.Expected() {
		stems[of] = true
	}
	return slices.SortedFunc(maps.Keys(stems), func(a, b mixer.Stem) int {
		return slices.Compare([]string{a.Name, a.Sound, a.File}, []string{b.Name, b.Sound, b.File})
	})
}

// meant returns the stems that a name means, and the files among which it does not choose.
//
// First it is the name of starts, or of a sound whose starts have none; then that of the
// sound of any; then the end of the path of a file.
func (a *Audio) meant(name string) (stems []mixer.Stem, files []string) {
	all := a.all()
	pick := func(means func(of mixer.Stem) bool) []mixer.Stem {
		return slices.DeleteFunc(slices.Clone(all), func(of mixer.Stem) bool { return !means(of) })
	}
	if name != "" && slices.ContainsFunc(all, func(of mixer.Stem) bool { return of.Name == name }) {
		return pick(func(of mixer.Stem) bool { return of.Name == name || of.Name == "" && of.Sound == name }), nil
	}
	stems = pick(func(of mixer.Stem) bool { return of.Sound == name })
	if len(stems) == 0 {
		stems = pick(func(of mixer.Stem) bool { return of.File == name && name != "" || strings.HasSuffix(of.File, "/"+name) })
	}
	for _, of := range stems {
		files = append(files, of.File)
	}
	slices.Sort(files)
	if files = slices.Compact(files); len(files) == 1 {
		files = nil
	}
	return stems, files
}

// known returns the stems that a name means. It fails the test where nothing has that name.
func (a *Audio) known(name string) ([]mixer.Stem, bool) {
	a.t.Helper()
	return a.find(name, "")
}

// possible is known for a name that need not have been played, where Knows helps.
func (a *Audio) possible(name string) ([]mixer.Stem, bool) {
	a.t.Helper()
	return a.find(name, fmt.Sprintf("; if the game has it, say a.Knows(%q)", name))
}

func (a *Audio) find(name, help string) ([]mixer.Stem, bool) {
	a.t.Helper()
	if !a.complete() {
		return nil, false
	}
	stems, files := a.meant(name)
	switch {
	case files != nil:
		for i, file := range files {
			if file == "" {
				files[i] = "a sound without a file"
			}
		}
		a.fail("%q is %s; write the path of one, or play them by names of a bank", name, strings.Join(files, " and "))
		return nil, false
	case len(stems) > 0 || slices.Contains(a.may, name):
		return stems, true
	}
	names := slices.Clone(a.may)
	for _, of := range a.all() {
		if strings.Contains(name, "/") {
			names = append(names, of.File)
		} else {
			names = append(names, of.Name, of.Sound)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if len(names) == 0 {
		a.fail("nothing is called %q: nothing was played%s", name, help)
	} else {
		a.fail("nothing is called %q; the nearest is %q%s", name, words.Nearest(name, names), help)
	}
	return nil, false
}

// sum returns what some stems put into the mix together.
func (a *Audio) sum(stems []mixer.Stem) *track {
	if len(stems) == 1 && a.stems[stems[0]] != nil {
		return a.stems[stems[0]]
	}
	all := &track{}
	for _, of := range stems {
		if t := a.stems[of]; t != nil {
			all.add(t)
		}
	}
	return all
}

// called is what the picture calls the voices of a stem.
func (a *Audio) called(of mixer.Stem) string {
	if of.Name != "" {
		return of.Name
	}
	return a.apart(of)
}

// apart is the name of a stem's sound, or its file where that is needed to tell it.
func (a *Audio) apart(of mixer.Stem) string {
	for other := range a.stems {
		if other.Sound == of.Sound && other.File != of.File && of.File != "" {
			return of.File
		}
	}
	return of.Sound
}

// variation tells which sound of a name it is.
func (a *Audio) variation(of mixer.Stem) string {
	if sound := a.apart(of); of.Name != "" && sound != of.Name {
		return ", " + sound
	}
	return ""
}
