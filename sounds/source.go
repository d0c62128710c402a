package sounds

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// Source names a sound to load: a file of FS, or of the operating system if FS is nil.
type Source struct {
	Name string // the name in reports; empty: the file's name without its extension
	File string // a path
	FS   fs.FS

	// Loop overrides the loop points of the file, in frames of the file. LoopTimes does the same in times,
	// rounded to the nearest frame. Zero values keep the loop points of the file. A loop that is not inside the
	// file is an error when loading.
	Loop      pcm.Loop
	LoopTimes [2]time.Duration
	Looped    bool // as Options.Loop, for this source

	Masking bool // as Options.Masking, for this source

	// Leveling replaces Options.Leveling for this source, unless it is zero.
	Leveling Leveling
}

// sourceKey identifies the sound of a source. The name of a source is not part of it.
type sourceKey struct {
	Source // without FS and Name
	fsys   any
}

// key returns the key of the source in a library: sources with equal keys share a sound. A file system that
// cannot be compared gets a key of its own.
func (s Source) key() sourceKey {
	k := sourceKey{Source: s}
	k.FS, k.Name = nil, ""
	if s.FS == nil {
		k.File = filepath.Clean(s.File)
		return k
	}
	k.File = path.Clean(s.File)
	switch v := reflect.ValueOf(s.FS); {
	case v.Comparable():
		k.fsys = s.FS
	case v.Kind() == reflect.Map || v.Kind() == reflect.Func || v.Kind() == reflect.Slice:
		k.fsys = v.Pointer() // fstest.MapFS, and adapters of functions
	default:
		k.fsys = new(byte) // not comparable with other file systems: a unique value
	}
	return k
}

// input opens the source for streaming. It returns an error that wraps ErrStream for a pipe, because opening one may
// block. The caller closes the input.
func (s Source) input() (*source.Input, error) {
	if s.mode()&fs.ModeNamedPipe != 0 {
		return nil, source.Fault(ErrStream, "a pipe cannot be a stream, which is opened again by each Play: load it")
	}
	return source.Open(func() (io.ReadCloser, error) { return s.open(context.Background()) })
}

// label returns the name of the source in errors: its file, or its name without one.
func (s Source) label() string { return cmp.Or(s.File, s.Name) }

// title returns the name of the sound in reports: Name, or the file's name without its folder and extension.
func (s Source) title() string {
	base := filepath.Base(s.File)
	if s.FS != nil {
		base = path.Base(s.File)
	}
	return cmp.Or(s.Name, strings.TrimSuffix(base, path.Ext(base)), base)
}

// path returns File with slashes, which becomes the File of the sound.
func (s Source) path() string { return filepath.ToSlash(s.File) }

// open opens the source; the caller closes it. It rejects folders, devices and sockets: opening a device may have
// side effects, and reading one may never end. A pipe is read like a file; if the system allows it, ctx ends the wait
// for a writer.
func (s Source) open(ctx context.Context) (io.ReadCloser, error) {
	if s.File == "" {
		return nil, source.Fault(fs.ErrNotExist, "a source without a file")
	}
	mode := s.mode()
	if err := notFile(mode); err != nil {
		return nil, err
	}
	var f fs.File
	var err error
	switch {
	case s.FS != nil:
		f, err = s.FS.Open(s.File)
	case mode&fs.ModeNamedPipe != 0:
		return openPipe(ctx, s.File)
	default:
		f, err = os.Open(s.File)
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil {
		if err := notFile(info.Mode()); err != nil {
			_ = f.Close()
			return nil, err
		}
	}
	return f, nil
}

// notFile returns an error that wraps ErrFormat if mode is a folder, a socket or a device. Its message is the same on
// all systems.
func notFile(mode fs.FileMode) error {
	switch {
	case mode.IsDir():
		return source.Unknown("is a directory")
	case mode&fs.ModeSocket != 0:
		return source.Unknown("is a socket, not a file")
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return source.Unknown("is a device, not a file")
	}
	return nil
}

// mode returns the file mode of a source, or 0 if it is unknown before the source is opened.
func (s Source) mode() fs.FileMode {
	stat := os.Stat
	if s.FS != nil {
		f, ok := s.FS.(fs.StatFS)
		if !ok {
			return 0
		}
		stat = f.Stat
	}
	info, err := stat(s.File)
	if err != nil { // opening will report the error
		return 0
	}
	return info.Mode()
}

// overridesLoop reports whether the source has a loop of its own, in frames or in times, instead of the file's.
func (s *Source) overridesLoop() bool {
	return s.Loop != pcm.Loop{} || s.LoopTimes != [2]time.Duration{}
}

// loopOverride returns the loop of the source in frames, for a file with a rate in Hz and a number of frames; nil
// without such a loop. A loop outside the file, and a loop both in frames and in times, is an error that wraps
// ErrLimit.
func (s *Source) loopOverride(rate int, frames int64) (*pcm.Loop, error) {
	loop := s.Loop
	switch times := s.LoopTimes != [2]time.Duration{}; {
	case !s.overridesLoop():
		return nil, nil
	case times && loop != pcm.Loop{}:
		return nil, source.Beyond("a loop in frames and one in times; give it one of them")
	case s.LoopTimes[0] < 0:
		return nil, source.Beyond("the loop begins at %v, before the file", s.LoopTimes[0])
	case times:
		loop = pcm.Loop{pcm.Frames(s.LoopTimes[0], rate), pcm.Frames(s.LoopTimes[1], rate)}
	}
	if !loop.Inside(frames) {
		return nil, source.Beyond("the loop [%d, %d) is not inside its %d frames", loop[0], loop[1], frames)
	}
	return &loop, nil
}
