package library

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

// key returns the key of the source in a library. Sources with equal keys share a sound. The key has the cleaned path
// and all fields but Name. A file system that can be compared is part of the key itself. A map, a function or a slice
// is represented by its address. Any other file system gets a different key at every call, so its sounds are not
// shared.
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

// input opens the source for streaming; the caller closes the result. A named pipe gives an error that wraps
// ErrStream, because opening a pipe may block. A folder, device or socket gives an error that wraps ErrFormat. A
// missing file gives an error that wraps fs.ErrNotExist, and other errors are of the system or of s.FS.
func (s Source) input() (*source.Input, error) {
	if s.mode()&fs.ModeNamedPipe != 0 {
		return nil, source.Errorf(ErrStream, "a pipe cannot be a stream, which is opened again by each Play: load it")
	}
	return source.Open(func() (io.ReadCloser, error) { return s.open(context.Background()) })
}

// label returns the name of the source in errors: File, or Name if File is empty.
func (s Source) label() string { return cmp.Or(s.File, s.Name) }

// title returns the name of the sound in reports. This is s.Name, or if it is empty, the base name of s.File without
// its extension. A base name that is only an extension, such as ".wav", is kept whole.
func (s Source) title() string {
	base := filepath.Base(s.File)
	if s.FS != nil {
		base = path.Base(s.File)
	}
	return cmp.Or(s.Name, strings.TrimSuffix(base, path.Ext(base)), base)
}

// path returns File with slashes instead of the separators of the operating system, for the File of the sound.
func (s Source) path() string { return filepath.ToSlash(s.File) }

// open opens the source for reading; the caller closes the result. A folder, device or socket gives an error that
// wraps ErrFormat, because opening a device may have side effects and reading it may never end. An empty File gives
// an error that wraps fs.ErrNotExist. Other errors are of the system or of s.FS. A named pipe is read like a file; on
// Linux the end of ctx ends the wait for its writer.
func (s Source) open(ctx context.Context) (io.ReadCloser, error) {
	if s.File == "" {
		return nil, source.Errorf(fs.ErrNotExist, "a source without a file")
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

// notFile returns an error that wraps ErrFormat if mode is a folder, a socket or a device, otherwise nil. Its message
// is the same on all systems.
func notFile(mode fs.FileMode) error {
	switch {
	case mode.IsDir():
		return source.FormatErrorf("is a directory")
	case mode&fs.ModeSocket != 0:
		return source.FormatErrorf("is a socket, not a file")
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return source.FormatErrorf("is a device, not a file")
	}
	return nil
}

// mode returns the file mode of the source, following links, without opening the file. It returns 0, which looks like
// a regular file, if the mode cannot be found: the file is missing or FS has no Stat.
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

// overridesLoop reports whether the source has a loop, in frames or in times, that replaces the loop of the file.
func (s *Source) overridesLoop() bool {
	return s.Loop != pcm.Loop{} || s.LoopTimes != [2]time.Duration{}
}

// overrideLoop stores the loop that the source sets in place of the loop of its file as c.Loop. If the source sets no
// loop, it has no effect. c is the clip of the file, perhaps without samples, and frames the length of the file. Loop
// times are rounded to frames. The error wraps ErrLimit if the loop is empty, is not inside the file, or is set both in
// frames and in times.
func (s *Source) overrideLoop(c *Clip, frames int64) error {
	loop := s.Loop
	switch times := s.LoopTimes != [2]time.Duration{}; {
	case !s.overridesLoop():
		return nil
	case times && loop != pcm.Loop{}:
		return source.LimitErrorf("a loop in frames and one in times; give it one of them")
	case s.LoopTimes[0] < 0:
		return source.LimitErrorf("the loop begins at %v, before the file", s.LoopTimes[0])
	case times:
		loop = pcm.Loop{pcm.Frames(s.LoopTimes[0], c.Rate), pcm.Frames(s.LoopTimes[1], c.Rate)}
	}
	if !loop.Inside(frames) {
		return source.LimitErrorf("the loop [%d, %d) is not inside its %d frames", loop[0], loop[1], frames)
	}
	c.Loop = &loop
	return nil
}
