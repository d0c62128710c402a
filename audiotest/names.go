package audiotest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicepool/internal/words"
	"voicepool/mixer"
)

// Knows declares the names of all sounds of the game, played or not. Never then rejects other names, since
// they may be misspelt. The sounds of a bank that plays on the mixer are declared automatically.
func (a *Audio) Knows(names ...string) { a.declared = append(a.declared, names...) }

// allStems returns the stems that exist or may appear, sorted.
func (a *Audio) allStems() []mixer.Stem {
	stems := map[mixer.Stem]bool{}
	for of := range a.mixer.Engine().Stems(0) {
		stems[of] = true
	}
	for _, of := range a.mixer.Engine().Expected() {
		stems[of] = true
	}
	return slices.SortedFunc(maps.Keys(stems), func(a, b mixer.Stem) int {
		return slices.Compare([]string{a.Name, a.Sound, a.File}, []string{b.Name, b.Sound, b.File})
	})
}

// lookUp returns the stems that a name refers to. If the name is ambiguous, it also returns the candidate files.
//
// The name is looked up in this order: as the name of starts (or of a sound with unnamed starts), as the name
// of a sound, as the end of the path of a file.
func (a *Audio) lookUp(name string) (stems []mixer.Stem, files []string) {
	all := a.allStems()
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

// stemsOf returns the stems that a name refers to, and true. It fails the test and returns false if the name is
// unknown or ambiguous.
func (a *Audio) stemsOf(name string) ([]mixer.Stem, bool) {
	a.t.Helper()
	return a.stemsNamed(name, "")
}

// stemsOrDeclared is stemsOf for a name that may not have been played.
func (a *Audio) stemsOrDeclared(name string) ([]mixer.Stem, bool) {
	a.t.Helper()
	if len(a.declared) == 0 && len(a.mixer.Engine().Expected()) == 0 && a.differsFromAll(name) {
		return nil, a.sawAllStarts() // the names of the game are unknown
	}
	return a.stemsNamed(name, fmt.Sprintf("; if the game has it, say a.Knows(%q)", name))
}

// differsFromAll reports whether a name differs from the names of all starts, by at least a third of its letters.
func (a *Audio) differsFromAll(name string) bool {
	near := func(of string) bool { return of != "" && words.Distance(name, of) <= max(1, len(name)/3) }
	return name != "" && !strings.Contains(name, "/") && !slices.ContainsFunc(a.allStems(), func(of mixer.Stem) bool {
		return near(of.Name) || near(of.Sound)
	})
}

// stemsNamed returns the stems that a name refers to, and true; no stems for a declared name that was not played. It
// fails the test and returns false if the name is unknown, with help at the end of the message, or ambiguous.
func (a *Audio) stemsNamed(name, help string) ([]mixer.Stem, bool) {
	a.t.Helper()
	if !a.sawAllStarts() {
		return nil, false
	}
	stems, files := a.lookUp(name)
	switch {
	case files != nil:
		for i, file := range files {
			if file == "" {
				files[i] = "a sound without a file"
			}
		}
		a.fail("%q is %s; write the path of one, or play them by names of a bank", name, strings.Join(files, " and "))
		return nil, false
	case len(stems) > 0 || slices.Contains(a.declared, name):
		return stems, true
	}
	names := slices.Clone(a.declared)
	for _, of := range a.allStems() {
		if strings.Contains(name, "/") {
			names = append(names, of.File)
		} else {
			names = append(names, of.Name, of.Sound)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if len(names) == 0 {
		a.fail("no sound is called %q: no sound was played%s", name, help)
	} else {
		a.fail("no sound is called %q; the nearest is %q%s", name, words.Nearest(name, names), help)
	}
	return nil, false
}

// sumOf returns the sum of the audio of some stems.
func (a *Audio) sumOf(stems []mixer.Stem) *track {
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

// displayName returns the name of a stem's voices in the timeline.
func (a *Audio) displayName(of mixer.Stem) string {
	if of.Name != "" {
		return of.Name
	}
	return a.soundName(of)
}

// soundName returns the name of a stem's sound, or its file if the name is ambiguous.
func (a *Audio) soundName(of mixer.Stem) string {
	for other := range a.stems {
		if other.Sound == of.Sound && other.File != of.File && of.File != "" {
			return of.File
		}
	}
	return of.Sound
}

// variation returns the sound of a stem after a comma, as a suffix for the timeline; "" if it has the name of the
// stem.
func (a *Audio) variation(of mixer.Stem) string {
	if sound := a.soundName(of); of.Name != "" && sound != of.Name {
		return ", " + sound
	}
	return ""
}
