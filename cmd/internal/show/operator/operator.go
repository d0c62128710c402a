// Package operator connects a running show to its controls: a terminal, standard input, sockets and a
// MIDI device.
package operator

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

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/tmpdir"
	"voicepool/cmd/internal/show/lineproto"
	"voicepool/cmd/internal/show/midi"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cmd/internal/view/liveview"
	"voicepool/cue"
	"voicepool/internal/words"
)

// Options configure the controls of a show.
type Options struct {
	Guard    time.Duration
	Sheet    string    // the file of the sheet; "-" or empty without a file
	Device   string    // the value of --device
	Control  string    // "-": In and Out; unix:PATH: a socket at PATH; empty: only the default socket of this user
	In       io.Reader // the end of its input ends the show
	Out      io.Writer
	Midi     string                // a raw MIDI device, a pipe or a file; optional
	Goes     string                // file that records GOs; optional
	Print    func(string)          // prints a message
	Screen   func(s *showrun.Show) // shows the show on a terminal until it ends; optional
	NoScreen bool                  // print how to control the show, because it has no screen yet
	Keys     *os.File              // a terminal whose keys control the show; optional
}

// Console holds the controls of a show. Call Open, then StartControls when the playback begins, and Close at the end.
type Console struct {
	options   Options
	sheet     *cue.Sheet
	goes      *os.File
	savedGoes int         // number of GOs in goes
	size      int         // bytes in goes
	goesErr   error       // the first error while writing goes
	player    *cue.Player // set by StartControls
	midi      *os.File
	show      *showrun.Show // set by StartControls
	sockets   []*lineproto.Socket
	controls  sync.WaitGroup
	restore   func() // restores the terminal of the keys
}

// Open opens the MIDI device and the file for GOs, if o names them, for a show of sheet. The other controls start with
// StartControls. The caller must call Close. After an error all files are closed.
func Open(sheet *cue.Sheet, o Options) (*Console, error) {
	b := &Console{sheet: sheet, options: o}
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

// openGoes opens the file path for the GOs of a show, creates it if it is missing, and locks it if it is a regular
// file. It refuses a pipe, a file that another show has locked, and a file with content, which may be the only record
// of an evening. These are usage errors.
func openGoes(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, console.Usage("--record-goes %s: this is a pipe, and a record is rewritten with each GO; name a file", words.OneLine(path))
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("--record-goes %s: %w", words.OneLine(path), words.Cause(err))
	}
	info, err := f.Stat()
	locked := err == nil && info.Mode().IsRegular() && errors.Is(tmpdir.LockFile(f), tmpdir.ErrLocked)
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

// openMidi opens the MIDI device, pipe or file path for reading. A pipe is opened for writing as well, so that it does
// not end when its writer closes it.
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

// Close writes the GOs that are not yet in their file, and closes the files of Open. An error means that the record of
// GOs is incomplete.
func (b *Console) Close() (err error) {
	if b.goes != nil {
		b.record()
		err = errors.Join(b.goesErr, b.goes.Close())
	}
	if b.midi != nil {
		b.midi.Close()
	}
	if err != nil {
		err = fmt.Errorf("--record-goes %s: %w", words.OneLine(b.options.Goes), words.Cause(err))
	}
	return err
}

// ShowPicture passes a picture of the playback to the show and writes new GOs to their file. It is a
// liveplay.Options.OnPicture; StartControls must have been called before.
func (b *Console) ShowPicture(p liveview.Picture) {
	b.show.SetPicture(p)
	b.record()
}

// ChangeSheet switches the show to the player's new sheet: it calls apply, which makes the player use that sheet,
// while the show is locked. It returns the unsaved trims in dB by cue number. It is a liveplay.Options.ChangeSheet.
func (b *Console) ChangeSheet(sheet *cue.Sheet, apply func()) map[string]float64 {
	return b.show.Change(sheet, apply)
}

// Report reports line as an event of the show, which its screens and clients display. It is a
// liveplay.Options.OnMessage and OnSent; StartControls must have been called before.
func (b *Console) Report(line string) { b.show.Report(line) }

// record rewrites the file for GOs if the player has new ones. It has no effect without such a file, before
// StartControls, and after the first failure, which it stores in b.goesErr. Not safe for concurrent use.
func (b *Console) record() {
	if b.goes == nil || b.player == nil || b.goesErr != nil {
		return
	}
	goes := b.player.Goes()
	if len(goes) == b.savedGoes {
		return
	}
	b.savedGoes = len(goes)
	var text bytes.Buffer
	b.goesErr = b.sheet.WriteGoes(&text, goes)
	if b.goesErr == nil {
		_, b.goesErr = b.goes.WriteAt(text.Bytes(), 0)
	}
	if b.goesErr == nil && text.Len() < b.size {
		b.goesErr = b.goes.Truncate(int64(text.Len())) // a pause can shorten earlier times
	}
	b.size = text.Len()
}

// StartControls makes the show for p and starts its controls: sockets, standard input, MIDI, keys and the screen. end
// ends the show and stops the controls. The only error is a failure of the socket of --control. It is a
// liveplay.Options.StartControls; call it once.
func (b *Console) StartControls(p *cue.Player) (end func(), err error) {
	b.player, b.show = p, showrun.New(b.sheet, p, showrun.Options{Guard: b.options.Guard, Started: time.Now(), File: b.sheetPath(), Device: b.options.Device})
	if err := b.listen(); err != nil {
		return nil, err
	}
	if b.options.Control == "-" {
		go func() { // not awaited: a read of standard input may never end
			if err := lineproto.Serve(b.options.In, b.options.Out, b.show); err != nil {
				b.announce(fmt.Sprintf("--control -: %v", words.Cause(err)))
			}
			b.show.Quit()
		}()
	}
	if b.midi != nil {
		go b.followMidi() // not awaited, either
	}
	if restore := b.readKeys(); restore != nil {
		b.restore = restore
	}
	if b.options.Screen != nil {
		b.controls.Go(func() { b.options.Screen(b.show) })
	}
	return b.end, nil
}

// announce prints line with Options.Print and reports it as an event of the show.
func (b *Console) announce(line string) {
	b.options.Print(line)
	b.show.Report(line)
}

// Hint returns one line that explains how to control a show without a screen. It returns "" unless Options.NoScreen
// is set and a socket is open, that is, after StartControls. It is a liveplay.Options.Hint.
func (b *Console) Hint() string {
	if !b.options.NoScreen || len(b.sockets) == 0 {
		return ""
	}
	return fmt.Sprintf("the show waits for: voicepool attach, or voicepool send unix:%s go", b.sockets[0].Path())
}

// sheetPath returns the absolute path of the sheet, or "" if the sheet comes from standard input or has no file.
func (b *Console) sheetPath() string {
	if b.options.Sheet == "" || b.options.Sheet == "-" {
		return ""
	}
	path, err := filepath.Abs(b.options.Sheet)
	if err != nil {
		return ""
	}
	return path
}

// warnOfOthers prints a message for each other show of this user that plays the same sheet on the same device. The
// operator may have lost the terminal of that show and started it again instead of attaching to it. Call it before
// the own default socket is open.
func (b *Console) warnOfOthers() {
	all, err := lineproto.All()
	if err != nil || b.sheetPath() == "" {
		return // listen reports the error
	}
	for _, r := range all {
		if r.State.File == b.sheetPath() && (r.State.Requested == b.options.Device || r.Device() == b.options.Device) {
			b.announce(fmt.Sprintf("%s is played already, and now twice; to run the first: voicepool attach %v", words.OneLine(b.options.Sheet), r))
		}
	}
}

// listen opens the socket of --control and the default socket of this user, appends them to b.sockets, and prints
// warnings and the hint. Only a failure of the socket of --control is an error; a failure of the default socket is
// printed.
func (b *Console) listen() error {
	if path, found := unixPath(b.options.Control); found {
		s, err := lineproto.Listen(path, b.show)
		if err != nil {
			return fmt.Errorf("--control %w", err)
		}
		b.sockets = append(b.sockets, s)
	}
	b.warnOfOthers()
	folder, err := lineproto.Folder()
	if err == nil {
		var s *lineproto.Socket
		if s, err = lineproto.Listen(filepath.Join(folder, fmt.Sprintf("%d.sock", os.Getpid())), b.show); err == nil {
			b.sockets = append(b.sockets, s)
		}
	}
	if err != nil {
		b.announce(fmt.Sprintf("voicepool attach cannot reach this show: %v", err))
	}
	if hint := b.Hint(); hint != "" {
		b.options.Print(hint)
	}
	return nil
}

// unixPath returns PATH and true for an address of the form unix:PATH. For another form and for an empty path it
// returns "" and false.
func unixPath(address string) (string, bool) {
	const scheme = "unix:"
	if len(address) > len(scheme) && address[:len(scheme)] == scheme {
		return address[len(scheme):], true
	}
	return "", false
}

// followMidi carries out the commands of the MIDI device until its input ends or fails, using the MIDI table of the
// player's current sheet. Failures are printed, and the show continues.
func (b *Console) followMidi() {
	err := midi.Listen(b.midi, func() []cue.Midi { return b.player.Sheet().Midi }, func(command string) {
		if err := b.show.Do(command); err != nil {
			b.announce(fmt.Sprintf("midi %s: %v", words.OneLine(command), err))
		}
	})
	if err != nil && !errors.Is(err, fs.ErrClosed) {
		b.announce(fmt.Sprintf("--midi %s: %v; the show continues without it", words.OneLine(b.options.Midi), words.Cause(err)))
	}
}

// end ends the show, restores the terminal, closes the sockets and waits until the screen has returned. Before it
// restores the terminal, it waits at most 1 s for answers that are being written, such as the answer to quit.
func (b *Console) end() {
	b.show.Quit()
	b.show.WaitForAnswers(time.Second)
	if b.restore != nil {
		b.restore()
	}
	for _, s := range b.sockets {
		_ = s.Close() // its file may be gone
	}
	b.controls.Wait()
}
