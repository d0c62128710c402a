// Package embedded contains ready-made sounds: short effects and a few loops, 48 kHz, 16 bits, mono or stereo,
// as FLAC files. A program that imports it grows by 2 MB.
//
//	bell, err := embedded.Load(library, "bell")
//
// The sounds are synthesized by gen/synth. go generate ./sounds/embedded regenerates the files; it needs the
// program flac.
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
	"voicepool/sounds/library"
)

//go:generate env GOWORK=off go -C gen run . ..

//go:embed *.flac
var files embed.FS

// FS returns the file system with the sounds: "coin.flac" and so on, in one folder, read-only.
func FS() fs.FS {
	return files
}

// Names returns a new slice with the names of the sounds, without ".flac", sorted.
func Names() []string { return slices.Clone(names()) }

var names = sync.OnceValue(func() []string {
	list, _ := fs.Glob(files, "*.flac") // the pattern is valid
	for i, file := range list {
		list[i] = strings.TrimSuffix(file, ".flac")
	}
	return list
})

// Source returns the source of the sound called name, for Library.Load. It does not check the name: loading an
// unknown sound fails. A library decodes each embedded sound once, however often it is loaded.
func Source(name string) library.Source {
	return library.Source{Name: name, File: name + ".flac", FS: files}
}

// Sources returns the sources of all sounds, sorted by name, for a bank whose file names embedded sounds:
//
//	b, err := bank.Open(assets, "sounds.yaml", lib, embedded.Sources()...)
func Sources() (all []library.Source) {
	for _, name := range names() {
		all = append(all, Source(name))
	}
	return all
}

// Load returns the sound called name, such as "coin". The library lib decodes it at the first call and returns the
// same sound later. For an unknown name the error wraps fs.ErrNotExist and suggests the nearest name. Other errors
// are of lib.
func Load(lib *library.Library, name string) (*sounds.Sound, error) {
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

// Open returns a copy of the FLAC file of the sound called name, or nil and false if there is no such sound.
func Open(name string) ([]byte, bool) {
	data, err := files.ReadFile(name + ".flac")
	return data, err == nil
}

// IsLoop reports whether the sound called name is made to loop, according to the tags of its file. name has no ".flac",
// as in Names. The result is false for an unknown name.
func IsLoop(name string) bool {
	data, _ := Open(name)
	return bytes.Contains(data[:min(len(data), 256)], []byte("LOOPSTART=")) // tags come first
}
