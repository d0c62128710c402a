// Package booth is where a show is run from while it plays: it puts the hands on it that were asked
// for, a terminal, standard input, sockets and a MIDI device, and takes them off at the end.
package booth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/control"
	"voicepool/cmd/internal/live"
	"voicepool/cmd/internal/midi"
	"voicepool/cmd/internal/scratch"
	"voicepool/cmd/internal/show"
	"voicepool/cue"
	"voicepool/internal/words"
)

// Options say who runs a show.
type Options struct {
	Guard   time.Duration
	Sheet   string    // the file of the sheet; "-" or empty: none
	Device  string    // as --device was given
	Control string    // "-": In and Out; unix:PATH: a socket there; empty: the socket of this user alone
	In      io.Reader // its end ends the show
	Out     io.Writer
	Midi    string             // a raw MIDI device, a pipe or a file; empty: none
	Goes    string             // where GOs are recorded; empty: nowhere
	Say     func(string)       // tells people what goes wrong
	Screen  func(s *show.Show) // shows it on a terminal until the show ends; nil: nobody does
	Alone   bool               // nobody is there yet: where to run it from is told
	Keys    *os.File           // a terminal whose keys have a hand on it; nil: none
}

// Booth is where a show is run from.
type Booth struct {
	options Options
	sheet   *cue.Sheet
	goes    *os.File
	done    int         // number of GOs in goes
	size    int         // bytes in goes
	failed  error       // what went wrong with it
	player  *cue.Player // while it plays
	midi    *os.File
	show    *show.Show // while it plays
	sockets []*control.Socket
	hands   sync.WaitGroup
	restore func() // gives the terminal of the keys back
}

// Open opens the files that are asked for.
func Open(sheet *cue.Sheet, o Options) (*Booth, error) {
	b := &Booth{sheet: sheet, options: o}
	if o.Midi != "" {
		var err error
		if b.midi, err = openMidi(o.Midi); err != nil {
			return nil, fmt.Errorf("--midi %s: %w", words.OneLine(o.Midi), words.Cause(err))
		}
	}
	if o.Goes != "" {
		var err error
		if b.goes, err = openGoes(o.Goes); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

// openGoes opens an empty file for the GOs of a show. A file with content is refused: it may be the only record
// of an evening. So is a file that another show has open for its GOs, where the system has file locks.
func openGoes(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, console.Usage("--record-goes %s: this is a pipe, and a record is rewritten with each GO; name a file", words.OneLine(path))
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("--record-goes %s: %w", words.OneLine(path), words.Cause(err))
	}
	info, err := f.Stat()
	locked := err == nil && info.Mode().IsRegular() && errors.Is(scratch.LockFile(f), scratch.ErrLocked)
	if err == nil {
		info, err = f.Stat() // a show that has just ended may have written
	}
	switch {
	case err != nil:
		err = fmt.Errorf("--record-goes %s: %w", words.OneLine(path), words.Cause(err))
	case locked:
		err = console.Usage("--record-goes %s: another show records its GOs in this file; name another file", words.OneLine(path))
	case info.Mode().IsRegular() && info.Size() > 0:
		err = console.Usage("--record-goes %s: the file has content already, which would be lost; name a new file", words.OneLine(path))
	default:
		return f, nil
	}
	f.Close()
	return nil, err
}

// openMidi opens what sends MIDI. A pipe is opened for writing as well, so that it does not end
// with the first who writes to it.
func openMidi(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return os.OpenFile(path, os.O_RDWR, 0)
	}
	return os.Open(path)
}

// Close closes the files. The error is that of the GOs that were recorded.
func (b *Booth) Close() (err error) {
	if b.goes != nil {
		b.record()
		err = errors.Join(b.failed, b.goes.Close())
	}
	if b.midi != nil {
		b.midi.Close()
	}
	if err != nil {
		err = fmt.Errorf("--record-goes %s: %w", words.OneLine(b.options.Goes), words.Cause(err))
	}
	return err
}

// Look takes a picture of what plays. It is for performance.Options.Look.
func (b *Booth) Look(p live.Picture) {
	b.show.Look(p)
	b.record()
}

// Changed takes the sheet in that the player has changed to, and returns what is trimmed of it. It is
// for performance.Options.Changed.
func (b *Booth) Changed(sheet *cue.Sheet, take func()) map[string]float64 {
	return b.show.Change(sheet, take)
}

// Tell tells whoever looks at the show: for performance.Options.Tell and Sent.
func (b *Booth) Tell(line string) { b.show.Say(line) }

// record writes what was done to the show until now, when that is more than before.
func (b *Booth) record() {
	if b.goes == nil || b.player == nil || b.failed != nil {
		return
	}
	goes := b.player.Goes()
	if len(goes) == b.done {
		return
	}
	b.done = len(goes)
	var text bytes.Buffer
	b.failed = b.sheet.WriteGoes(&text, goes)
	if b.failed == nil {
		_, b.failed = b.goes.WriteAt(text.Bytes(), 0)
	}
	if b.failed == nil && text.Len() < b.size {
		b.failed = b.goes.Truncate(int64(text.Len())) // a pause can shorten the times before it
	}
	b.size = text.Len()
}

// Attend puts the hands on a show. It is for performance.Options.Attend.
func (b *Booth) Attend(p *cue.Player) (leave func(), err error) {
	b.player, b.show = p, show.New(b.sheet, p, show.Options{Guard: b.options.Guard, Begun: time.Now(), File: b.path(), Device: b.options.Device})
	if err := b.listen(); err != nil {
		return nil, err
	}
	if b.options.Control == "-" {
		go func() { // a read of standard input may never end
			if err := control.Serve(b.options.In, b.options.Out, b.show); err != nil {
				b.say(fmt.Sprintf("--control -: %v", words.Cause(err)))
			}
			b.show.Quit()
		}()
	}
	if b.midi != nil {
		go b.follow() // as well
	}
	if restore := b.press(); restore != nil {
		b.restore = restore
	}
	if b.options.Screen != nil {
		b.hands.Go(func() { b.options.Screen(b.show) })
	}
	return b.leave, nil
}

// say tells people something, on the terminal and on the screens of the show.
func (b *Booth) say(line string) {
	b.options.Say(line)
	b.show.Say(line)
}

// Hint returns how to run a show that has no screen here. It is for performance.Options.Hint.
func (b *Booth) Hint() string {
	if !b.options.Alone || len(b.sockets) == 0 {
		return ""
	}
	return fmt.Sprintf("the show waits for: voicepool attach, or voicepool send unix:%s go", b.sockets[0].Path())
}

// path returns the absolute path of the sheet; empty: it has none.
func (b *Booth) path() string {
	if b.options.Sheet == "" || b.options.Sheet == "-" {
		return ""
	}
	path, err := filepath.Abs(b.options.Sheet)
	if err != nil {
		return ""
	}
	return path
}

// warn says so if another show plays the same sheet on the same device: who starts it again after its terminal
// was closed wants to attach to it.
func (b *Booth) warn() {
	all, err := control.All()
	if err != nil || b.path() == "" {
		return // listen says what is wrong
	}
	for _, r := range all {
		if r.State.File == b.path() && (r.State.Asked == b.options.Device || r.Device() == b.options.Device) {
			b.say(fmt.Sprintf("%s is played already, and now twice; to run the first: voicepool attach %v", words.OneLine(b.options.Sheet), r))
		}
	}
}

// listen opens the sockets.
func (b *Booth) listen() error {
	if path, found := unixPath(b.options.Control); found {
		s, err := control.Listen(path, b.show)
		if err != nil {
			return fmt.Errorf("--control %w", err)
		}
		b.sockets = append(b.sockets, s)
	}
	b.warn()
	folder, err := control.Folder()
	if err == nil {
		var s *control.Socket
		if s, err = control.Listen(filepath.Join(folder, fmt.Sprintf("%d.sock", os.Getpid())), b.show); err == nil {
			b.sockets = append(b.sockets, s)
		}
	}
	if err != nil {
		b.say(fmt.Sprintf("nobody can attach to this show: %v", err))
	}
	if hint := b.Hint(); hint != "" {
		b.options.Say(hint)
	}
	return nil
}

func unixPath(address string) (string, bool) {
	const scheme = "unix:"
	if len(address) > len(scheme) && address[:len(scheme)] == scheme {
		return address[len(scheme):], true
	}
	return "", false
}

// follow does what a MIDI device asks for.
func (b *Booth) follow() {
	err := midi.Listen(b.midi, func() []cue.Midi { return b.player.Sheet().Midi }, func(command string) {
		if err := b.show.Do(command); err != nil {
			b.say(fmt.Sprintf("midi %s: %v", words.OneLine(command), err))
		}
	})
	if err != nil && !errors.Is(err, fs.ErrClosed) {
		b.say(fmt.Sprintf("--midi %s: %v; the show goes on without it", words.OneLine(b.options.Midi), words.Cause(err)))
	}
}

// leave takes the hands off.
func (b *Booth) leave() {
	b.show.Quit()
	if b.restore != nil {
		b.restore()
	}
	for _, s := range b.sockets {
		_ = s.Close() // its file may be gone
	}
	b.hands.Wait()
}
