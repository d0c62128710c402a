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

// Source names a sound to load: a file of FS, or of the operating system where FS is nil.
type Source struct {
	Name string // what it is called in reports; empty: the file's name without its ending
	File string // a path
	FS   fs.FS

	// Loop is the part that repeats, in frames of the file, instead of the loop points that
	// it may have; LoopTimes is the same in times, to the nearest frame. The zero values say
	// nothing. A loop that is not inside the file is an error of loading.
	Loop      pcm.Loop
	LoopTimes [2]time.Duration
	Looped    bool // as Options.Loop, for this one

	Masking bool // as Options.Masking, for this one

	// Leveling is as Options.Leveling, for this one; the zero value means that of
	// the library.
	Leveling Leveling
}

// sourceKey is equal for the sources of one and the same sound. A file has one
// sound, whatever it is called.
type sourceKey struct {
	Source // without FS and Name
	fsys   any
}

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
		k.fsys = v.Pointer() // fstest.MapFS, and adapters of a function
	default:
		k.fsys = new(byte) // nothing tells it from others: equal to itself alone
	}
	return k
}

// input opens the source for reading bit by bit. A pipe is refused before it is
// opened and may wait.
func (s Source) input() (*source.Input, error) {
	if s.mode()&fs.ModeNamedPipe != 0 {
		return nil, source.Fault(ErrStream, "a pipe cannot be a stream, which is opened again by each Play: load it")
	}
	return source.Open(func() (io.ReadCloser, error) { return s.open(context.Background()) })
}

// label is how errors call the source.
func (s Source) label() string { return cmp.Or(s.File, s.Name) }

// title is what the sound is called in reports.
func (s Source) title() string {
	base := filepath.Base(s.File)
	if s.FS != nil {
		base = path.Base(s.File)
	}
	return cmp.Or(s.Name, strings.TrimSuffix(base, path.Ext(base)), base)
}

// path is what the sound's File says.
func (s Source) path() string { return filepath.ToSlash(s.File) }

// open opens what is to be read. It does not open what is no file: opening a device
// may do something, and reading one may never end. A pipe is read like a file; ctx
// ends the wait for its other side where the system can.
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

// notFile says what something is that cannot be read as a file; nil if it can. Of
// a directory it says so before the system does, whose words differ.
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

// mode returns what kind of file a source is, 0 where nobody says before it is
// opened.
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
	if err != nil { // opening will say it
		return 0
	}
	return info.Mode()
}

// loops reports whether a part is named that repeats.
func (s *Source) loops() bool { return s.Loop != pcm.Loop{} || s.LoopTimes != [2]time.Duration{} }

// region returns the part that repeats, of a file of a rate and so many frames; nil: none is
// named.
func (s *Source) region(rate int, frames int64) (*pcm.Loop, error) {
	loop := s.Loop
	switch times := s.LoopTimes != [2]time.Duration{}; {
	case !s.loops():
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
