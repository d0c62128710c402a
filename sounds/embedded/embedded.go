// Package embedded contains ready-made sounds: short effects and a few loops, 48 kHz, 16 bits, mono or stereo,
// as FLAC files. A program that imports it grows by 2 MB.
//
//	bell, err := embedded.Load(library, "bell")
//
// The recipes are in gen/synth. go generate ./sounds/embedded regenerates the files with the program flac.
package embedded

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"voicepool/internal/words"
	"voicepool/sounds"
	"voicepool/voice"
)

//go:generate env GOWORK=off go -C gen run . ..

//go:embed *.flac
var files embed.FS

// FS returns the file system with the sounds: "coin.flac" and so on, in one folder.
func FS() fs.FS {
	return files
}

// Names returns the names of the sounds, without ".flac", sorted.
func Names() []string { return slices.Clone(names()) }

var names = sync.OnceValue(func() []string {
	list, _ := fs.Glob(files, "*.flac") // the pattern is valid
	for i, file := range list {
		list[i] = strings.TrimSuffix(file, ".flac")
	}
	return list
})

// Source returns the source of a sound by name. All sources share one FS, so a library loads each sound once.
func Source(name string) sounds.Source {
	return sounds.Source{Name: name, File: name + ".flac", FS: files}
}

// Sources returns the sources of all sounds, for a bank that uses embedded sounds:
//
//	b, err := bank.Open(assets, "sounds.yaml", lib, embedded.Sources()...)
func Sources() (all []sounds.Source) {
	for _, name := range names() {
		all = append(all, Source(name))
	}
	return all
}

// Load returns the sound of a name. The error of an unknown name wraps fs.ErrNotExist and suggests the nearest
// name. Control side.
func Load(lib *sounds.Library, name string) (*voice.Sound, error) {
	if _, ok := Open(name); !ok {
		nearest := words.Nearest(name, Names())
		return nil, fmt.Errorf("embedded: there is no sound %q; the nearest is %q: %w", name, nearest, fs.ErrNotExist)
	}
	loaded, err := lib.Load(context.Background(), Source(name))
	if err != nil {
		return nil, err
	}
	return loaded[0], nil
}

// Open returns a copy of a sound's FLAC file, and whether the name is known.
func Open(name string) ([]byte, bool) {
	data, err := files.ReadFile(name + ".flac")
	return data, err == nil
}

// IsLoop reports whether a sound is made to loop, according to its tags. It is false for unknown names.
func IsLoop(name string) bool {
	data, _ := Open(name)
	return bytes.Contains(data[:min(len(data), 256)], []byte("LOOPSTART=")) // tags come first
}
