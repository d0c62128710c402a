// Package embedded has sounds for every program to use: short effects and a few loops,
// 48 kHz, 16 bits, one channel or two, as FLAC files. A program that imports it carries
// all of them, 2 MB.
//
//	bell, err := embedded.Load(library, "bell")
//
// The recipes are in gen/synth, and go generate ./sounds/embedded makes the files again,
// by the program flac.
package embedded

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"voicepool/internal/words"
	"voicepool/sounds"
	"voicepool/voice"
)

//go:generate env GOWORK=off go -C gen run . ..

//go:embed *.flac
var files embed.FS

// FS returns the files: "coin.flac" and so on, in one folder.
func FS() fs.FS {
	return files
}

// Names returns the names of the sounds, without ".flac", sorted.
func Names() []string {
	list, _ := fs.Glob(files, "*.flac") // the pattern is a good one
	for i, file := range list {
		list[i] = strings.TrimSuffix(file, ".flac")
	}
	return list
}

// Source returns where a library finds the sound of a name. Its FS is that of this
// package, so a library loads a sound once, whoever asks.
func Source(name string) sounds.Source {
	return sounds.Source{Name: name, File: name + ".flac", FS: files}
}

// Sources returns all of them, for a bank that names embedded sounds:
//
//	b, err := bank.Open(assets, "sounds.yaml", lib, embedded.Sources()...)
func Sources() (all []sounds.Source) {
	for _, name := range Names() {
		all = append(all, Source(name))
	}
	return all
}

// Load returns the sound of a name. The error of a name that there is not wraps
// fs.ErrNotExist and says which is the nearest. Control side.
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

// Open returns the bytes of a sound's FLAC file, for the caller to keep, and
// whether there is a sound of that name.
func Open(name string) ([]byte, bool) {
	data, err := files.ReadFile(name + ".flac")
	return data, err == nil
}

// IsLoop reports whether a sound is made to be looped from its end to its
// beginning, as its tags say; false for names that are none.
func IsLoop(name string) bool {
	data, _ := Open(name)
	return bytes.Contains(data[:min(len(data), 256)], []byte("LOOPSTART=")) // tags come first
}
