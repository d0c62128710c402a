// Package embedded has sounds for every program to use: short effects and a few loops,
// 48 kHz, 16 bits, one channel or two, as FLAC files. The recipes are in gen/synth, and
//
//	go generate ./sounds/embedded
//
// makes the files again, byte for byte.
package embedded

import (
	"embed"
	"io/fs"
	"sort"
)

//go:generate env GOWORK=off go -C gen run . ..

//go:embed *.flac
var files embed.FS

// entry is what is known of a sound without decoding it.
type entry struct {
	name string
	loop bool
}

// FS returns the files: "coin.flac" and so on, in one folder.
func FS() fs.FS {
	return files
}

// Names returns the names of the sounds, without ".flac", sorted.
func Names() []string {
	names := make([]string, len(index))
	for i, e := range index {
		names[i] = e.name
	}
	return names
}

// Open returns the bytes of a sound's FLAC file, for the caller to keep, and
// whether there is a sound of that name.
func Open(name string) ([]byte, bool) {
	e := find(name)
	if e == nil {
		return nil, false
	}
	data, err := files.ReadFile(e.name + ".flac")
	return data, err == nil
}

// IsLoop reports whether a sound is made to be looped from its end to its
// beginning; false for names that are none.
func IsLoop(name string) bool {
	e := find(name)
	return e != nil && e.loop
}

func find(name string) *entry {
	i := sort.Search(len(index), func(i int) bool { return index[i].name >= name })
	if i == len(index) || index[i].name != name {
		return nil
	}
	return &index[i]
}
