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
	"voicepool/cue/play"
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
	savedGoes int          // number of GOs in goes
	size      int          // bytes in goes
	goesErr   error        // the first error while writing goes
	player    *play.Player // set by StartControls
	midi      *os.File
	show      *showrun.Show // set by StartControls
	sockets   []*lineproto.Socket
	controls  sync.WaitGroup
	restore   func() // restores the terminal of the keys
}

// Open prepares the controls of a show of sheet: it opens the MIDI device and the file for GOs, if o names them. The
// other controls begin with StartControls. The caller must call Close. If Open fails, no file stays open.
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

// openGoes opens the file that records the GOs of a show, the operator's starts of cues. The parameter path is the path
// of the file. A missing file is created, and a regular file is locked against other shows. Three cases are usage
// errors: path is a pipe or socket, another show has locked the file, or the file has content. That content may be the
// only record of an evening.
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

// openMidi opens path for reading: a MIDI device, a pipe or a file. A pipe is opened for writing too, so that it does
// not end when its writer closes it. A missing file is an error.
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

// Close writes the latest GOs into the file that records them. Then it closes that file and the MIDI device. An error
// means that the record of GOs is incomplete. Sockets are not closed here, but by the function that StartControls
// returns.
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

// ShowPicture passes p, a picture of the playback, to the show, for its screens and clients. It also writes new GOs
// into the file that records them. Call it only after StartControls. Its type fits liveplay.Options.OnPicture.
func (b *Console) ShowPicture(p liveview.Picture) {
	b.show.SetPicture(p)
	b.record()
}

// ChangeSheet switches the running show to a new version of its sheet. While the show is locked, it calls apply, which
// makes the player use the sheet. The result is the unsaved trims in dB by cue number. Call it only after
// StartControls. Its type fits liveplay.Options.ChangeSheet.
func (b *Console) ChangeSheet(sheet *cue.Sheet, apply func()) map[string]float64 {
	return b.show.Change(sheet, apply)
}

// Report reports line as an event of the show, which screens and clients display. Call it only after StartControls. Its
// type fits OnMessage and OnSent of liveplay.Options.
func (b *Console) Report(line string) { b.show.Report(line) }

// record writes the GOs, the operator's starts of cues, into the file that records them, if the player has new ones. It
// replaces the content of the file. After a failure, which it stores in b.goesErr, it does not write again. Without
// such a file or before StartControls it has no effect. Not safe for concurrent use.
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

// StartControls makes the show that p plays and starts its controls: sockets, standard input, MIDI, keys and the
// screen. The caller must call the returned function end, which ends the show and stops the controls. The only error is
// a failure of the socket of --control. Call it once. Its type fits liveplay.Options.StartControls.
func (b *Console) StartControls(p *play.Player) (end func(), err error) {
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

// announce prints line for the operator with Options.Print. It also reports line as an event of the show. Call it only
// after StartControls has made the show.
func (b *Console) announce(line string) {
	b.options.Print(line)
	b.show.Report(line)
}

// Hint returns a line that explains how to control a show without a screen, with the address of its socket. If
// Options.NoScreen is not set, or if no socket is open yet, the result is "". StartControls opens the sockets. Its type
// fits liveplay.Options.Hint.
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

// warnOfOthers prints a message, which is also an event of this show, for each other show of this user that plays the
// same sheet on the same device. The operator may have lost the terminal of that show, and started the sheet again
// instead of attaching to it. If the sheet has no file, or the shows cannot be listed, warnOfOthers has no effect. Call
// it before the default socket of this show is open, or it finds this show too.
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

// listen opens the socket of --control, if one was requested, and the default socket of this user. It appends them to
// b.sockets and prints the hint and warnings about other shows. If the socket of --control cannot be opened, it returns
// an error. A failure of the default socket is only printed.
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

// unixPath splits an address of the form unix:PATH: it returns PATH and true. For another form and for an empty path it
// returns "" and false.
func unixPath(address string) (string, bool) {
	const scheme = "unix:"
	if len(address) > len(scheme) && address[:len(scheme)] == scheme {
		return address[len(scheme):], true
	}
	return "", false
}

// followMidi carries out the commands of the MIDI device on the show until the input ends or fails. The MIDI table is
// always from the player's current sheet. Failures of a command or of the input are printed, and the show continues.
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

// end ends the show and stops its controls. First it waits at most 1 s for answers that are being written, such as the
// answer to quit. Then it restores the terminal, closes the sockets, and waits until the screen has returned. Call it
// once, after StartControls.
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
