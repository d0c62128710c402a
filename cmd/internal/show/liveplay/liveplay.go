// Package liveplay plays a cue sheet on a device in real time, shows the playback, and writes
// reports. It ends in order even if the device is stuck or the output is not read.
package liveplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/show/asynclog"
	"voicepool/cmd/internal/show/osc"
	"voicepool/cmd/internal/view/liveview"
	"voicepool/cmd/internal/view/timeline"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/record"
	"voicepool/device"
	"voicepool/device/wav"
	"voicepool/internal/expect"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/sounds/watch"
)

// Options configure the playback of a sheet.
type Options struct {
	Title  string
	Hint   func() string // a line for the operator below the title of the live view; optional
	Player play.Options  // the start position and other player options

	// StartControls is called when the playback begins, and its result leave before it ends, for a caller
	// that controls the show. OnPicture receives pictures of the playback. Both are optional.
	StartControls func(*play.Player) (leave func(), err error)
	OnPicture     func(liveview.Picture)
	// LoadAgain reads the sheet file again. It returns nil if the file is unchanged. If LoadAgain is nil,
	// changes of the file are ignored. play.Player.Change calls ChangeSheet, which is optional.
	LoadAgain   func(context.Context) (*cue.Sheet, error)
	Sheet       string
	ChangeSheet func(sheet *cue.Sheet, apply func()) map[string]float64
	OnMessage   func(line string) // receives messages about changes of the sheet, too; optional

	HasScreen bool // the caller draws on the terminal, so the playback prints nothing there
	Silent    bool // print no events
	Device    Device
	Buffer    time.Duration // of the sound card; 0: the driver's default
	Block     int           // frames per block, if the device does not set it
	Limits    library.Limits

	OnSent func(what string) // called for each OSC message sent; safe for concurrent use; optional

	Report, Timeline, Record string // output files; optional
	Expect                   *expect.Rules
	JUnit                    string // results of Expect, as XML; optional
	JSON                     bool   // print the report to standard output
	Verbose                  bool
	Reload                   bool // reload sound files that change
	Strict                   bool // treat any inaudible part as an error, whatever the device
}

// Play plays sheet on the device l.Device until the sheet ends or a signal arrives. It shows the playback on c and
// writes the output files that l names. If the playback cannot begin, no file is written.
//
// The result is nil or the first failure. After a signal it is the signal, a console.Interruption, joined with a
// failure if there was one. If the failures are printed already, the error is a console.Reported.
func Play(c *console.Console, interrupted *console.Interrupts, sheet *cue.Sheet, l *Options) error {
	report, err := outfiles.Open(interrupted, l.Report)
	if err != nil {
		return err
	}
	defer report.Discard()
	drawing, err := timeline.Open(interrupted, l.Timeline, sheet.Rate, pictureInterval)
	if err != nil {
		return err
	}
	defer drawing.Discard()
	recorded, err := outfiles.Open(interrupted, l.Record)
	if err != nil {
		return err
	}
	defer recorded.Discard()
	junit, err := outfiles.Open(interrupted, l.JUnit)
	if err != nil {
		return err
	}
	defer junit.Discard()
	board, log := liveview.NewBoard(), &messageLog{console: c}
	lib := library.NewLibrary(library.Options{Rate: sheet.Rate, Limits: l.Limits, OnDamage: log.addDamage})
	o := l.Player
	o.Watch, o.StreamError, o.Loading = board.Watch, func(err error) { log.add(err) }, c.Loading()
	var expected *expectation
	if l.Expect != nil {
		expected = &expectation{rules: l.Expect, junit: junit}
		o.Watch = expected.watch(board.Watch)
	}
	o.Changes = l.LoadAgain != nil
	messages := osc.New(sheet, osc.Options{Sent: l.sentFunc(log, sheet.Rate), Failed: func(err error) { log.add(err) }})
	defer messages.Close()
	o.Send = messages.Send
	o.Events, o.Record = l.Report != "" || l.JSON || l.Timeline != "", l.Record != ""
	o.Preparing, o.Meters = c.Preparing(), true
	player, err := console.Within(interrupted, func() (*play.Player, error) { return play.NewPlayer(interrupted, sheet, lib, o) })
	if err != nil {
		return errors.Join(interrupted.Cause(), err)
	}
	if !o.Live {
		board.Plan(player)
	}
	if l.Device.Kind == "wav" {
		outfiles.NoteName(c, l.Device.File())
	}
	dev, err := console.Within(interrupted, func() (openedDevice, error) { return l.open(c, sheet.Rate, device.OutputsOf(player), sheet.Seed) })
	if err != nil {
		return err
	}
	s := &performance{
		options: l, console: c, board: board, player: player, device: dev.Device, file: dev.file, monitor: newDeviceMonitor(l.Device, dev.Device), drawing: drawing, recorded: recorded,
		interrupts: interrupted, log: log, messages: messages, expected: expected,
	}
	ctx, cancel := context.WithCancel(interrupted)
	defer cancel()
	if l.Reload {
		go s.followSounds(ctx, lib)
	}
	s.follow = func() {
		if l.LoadAgain != nil {
			go s.followSheet(ctx, lib)
		}
	}
	if err = s.play(); !s.started {
		return errors.Join(interrupted.Cause(), err)
	}
	if e := s.finish(report); err == nil {
		err = e
	}
	err = s.log.outcome(err)
	if e := interrupted.Cause(); e != nil && console.ExitCode(err) < console.ExitUsage {
		return errors.Join(e, err)
	}
	return err
}

// sentFunc returns the function that osc.Sender calls for each sent OSC message. That function passes the text of the
// message to l.OnSent. If l.Verbose is set, it also prints the text and the time through messages. rate is the sample
// rate in Hz; it converts a frame to a time.
func (l *Options) sentFunc(messages *messageLog, rate int) func(*cue.Message, int64) {
	return func(m *cue.Message, frame int64) {
		if l.OnSent != nil {
			l.OnSent(m.String())
		}
		if l.Verbose {
			messages.note(fmt.Sprintf("%.3f s: %s", float64(frame)/float64(rate), words.OneLine(m.String())))
		}
	}
}

// pictureInterval is the interval between pictures of the playback, which is also the interval of the timeline's
// levels.
const pictureInterval = time.Second / 20

// performance is one playback of a sheet on a device.
type performance struct {
	options    *Options
	console    *console.Console
	board      *liveview.Board
	player     *play.Player
	device     device.Device
	file       *wav.File // the recording of the device, or nil
	started    bool      // the device has started
	monitor    *deviceMonitor
	drawing    *timeline.File
	recorded   *outfiles.File // of --record
	interrupts *console.Interrupts
	lines      lineLog
	log        *messageLog
	follow     func() // starts to follow changes of the sheet
	messages   *osc.Sender
	expected   *expectation // nil: no rules
}

// play plays the sheet to its end. It hands the first cues to the mixer, starts the controls, the device, the display
// and s.follow, and feeds the player until it ends, fails or is interrupted. Then it closes s.messages and the device.
// If Options.Verbose is set, it prints the load and the latency.
//
// play sets s.started when the device has started. If the device does not start, an empty recording is removed. After a
// signal the result is nil, because Play returns the signal.
func (s *performance) play() error {
	closed := sync.OnceValue(func() error {
		if !s.started && s.file != nil {
			s.file.Abort()
		}
		return closeDevice(s.interrupts, s.device, s.options.Device.Writes())
	})
	defer closed()
	if start := &s.options.Player; !start.From.IsZero() || start.Cue != "" {
		s.console.Progress("seeking to the start")
	}
	err := console.Do(s.interrupts, s.player.Prime)
	if s.console.Progress(""); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(s.interrupts)
	defer cancel(nil)
	meter := device.NewLoadMeter(s.player, s.device.Rate())
	entry := &gate{source: meter, tap: s.expected.begin(s.player)}
	// An abandoned goroutine of this function or of closeDevice finds the gate shut when the report
	// is made.
	defer entry.close()
	if s.options.StartControls != nil { // before Start: a control that fails must not leave an empty recording
		leave, err := s.options.StartControls(s.player)
		if err != nil {
			return err
		}
		defer leave()
	}
	if err := console.Do(s.interrupts, func() error { return s.device.Start(entry) }); err != nil {
		return err
	}
	s.started = true
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		s.show(stop, cancel)
	}()
	s.follow()
	err = s.player.Run(ctx)
	if err == nil {
		// The last mixed frames are still in the device.
		select {
		case <-time.After(pcm.Duration(int64(s.device.Latency()), s.device.Rate())):
		case <-ctx.Done():
		}
	}
	s.messages.Close()
	close(stop)
	<-stopped
	s.log.endView()
	if s.options.Verbose {
		s.console.Say("%s", loadLine(meter.Load()))
		s.console.Say("%s", latencyLine(s.player.Mixer().Latency(), s.device))
	}
	if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil {
		err = cause
	}
	if failed := closed(); failed != nil && !errors.Is(err, failed) {
		err = failed
	}
	if _, signalled := errors.AsType[console.Interruption](err); signalled {
		return nil // Play returns the signal
	}
	return err
}

// show displays the playback: it draws a picture every 50 ms, and a last one after stop is closed. With each picture it
// updates the timeline, calls Options.OnPicture, and prints new failures. If the device fails and its recording is the
// only output, show calls cancel with the error, which ends the playback. It runs on its own goroutine.
func (s *performance) show(stop <-chan struct{}, cancel context.CancelCauseFunc) {
	show := s.view()
	defer s.console.Restore()
	ticker := time.NewTicker(pictureInterval)
	defer ticker.Stop()
	for last := false; !last; {
		select {
		case <-stop:
			last = true
		case <-ticker.C:
		}
		for _, line := range s.monitor.poll() {
			s.log.note(line)
		}
		if err := s.device.Err(); err != nil && s.monitor.supervised == nil && s.log.add(err) && s.onlyRecords() {
			cancel(err)
		}
		if err := s.lines.err(); err != nil {
			s.log.add(err)
		}
		s.expected.drain()
		now := s.board.Snapshot(s.player)
		now.Output, now.Failures = s.monitor.picture(), s.log.all()
		s.drawing.Record(s.player.Mixer(), now.Stats.Frame, now.Left, now.Right)
		if s.options.OnPicture != nil {
			s.options.OnPicture(now)
		}
		show(now, last)
	}
}

// onlyRecords reports whether the recording of the device is the only output. Then the device writes a file or pipe,
// and no report, timeline, recorded sheet or JSON was requested.
func (s *performance) onlyRecords() bool {
	o := s.options
	return o.Device.Writes() && o.Report == "" && o.Timeline == "" && o.Record == "" && !o.JSON
}

// view chooses the display of the playback: a live view on a terminal, lines of text, or no display. The returned
// function shows a picture p; its parameter last must be true for the final picture.
//
// view also sets s.lines, the destination of lines and of the summary. If a live view covers the terminal of messages,
// later messages wait until it has ended.
func (s *performance) view() (show func(p liveview.Picture, last bool)) {
	c, l := s.console, s.options
	if l.HasScreen {
		s.log.beginView()
	}
	if l.HasScreen || l.Silent {
		return func(liveview.Picture, bool) {}
	}
	terminal, hint := c.OutTerminal, ""
	if l.Hint != nil {
		hint = l.Hint()
	}
	switch {
	case c.Quiet:
		terminal = nil
	case l.JSON || l.Report == "-":
		terminal = c.ErrTerminal
	case l.Device.Standard():
		s.lines, terminal = lineLog{asynclog.New(c.Err), "standard error"}, c.ErrTerminal
	default:
		s.lines = lineLog{asynclog.New(c.Out.W), "standard output"}
	}
	switch {
	case terminal != nil && !l.Verbose:
		s.log.beginView()
		view := liveview.NewView(c.TakeOver(terminal), l.Title, hint)
		return func(p liveview.Picture, _ bool) { view.Show(p) }
	case s.lines.Log != nil:
		if hint != "" && c.ErrTerminal == nil && term.IsTerminal(int(os.Stdout.Fd())) { // the messages go elsewhere
			fmt.Fprintln(s.lines, hint)
		}
		return liveview.NewLines(s.lines, l.Verbose).Show
	}
	return func(liveview.Picture, bool) {}
}

// finish writes the output files after the playback: the report into file, the timeline and the recorded sheet. It
// prints the JSON and the summary last, because the reader of standard output may be stuck. A failed output does not
// affect the other outputs.
//
// All failures are printed, and so is a loss of sound that counts as a failure. The result is then a console.Reported,
// otherwise nil.
func (s *performance) finish(file *outfiles.File) error {
	l, c := s.options, s.console
	r := s.player.Report()
	s.monitor.report(r)
	written, drawn := file.SaveFrom(r), s.drawing.SaveReport(l.Title, r)
	var recorded, unheard error
	if s.recorded != nil {
		var recorder *record.Recorder
		recorder, unheard = s.player.Recorder() // the part that could be recorded is written anyway
		recorded = s.recorded.SaveFrom(recorder)
	}
	if l.JSON || l.Report == "-" {
		r.WriteTo(c.Out) // c.Out keeps its error
	}
	if s.lines.Log != nil {
		s.board.Summary(s.lines, r)
	}
	if err := s.lines.end(s.log, closeTimeout); err != nil && !l.Device.Standard() {
		c.Out.Fail(err)
	}
	failed := c.Outcome(written, drawn, recorded, unheard, s.monitor.strictError(l.Strict), s.log.strictError(l.Strict))
	return cmp.Or(failed, s.expected.finish(c, r))
}

// loadLine describes the load of mixing, l, in one line for a person. The line has the mean load, the longest time of a
// block, and the numbers of late blocks and garbage collections. At the end it has a bound that nine in ten blocks
// stayed below, or the words that more than one in ten was late.
func loadLine(l device.Load) string {
	line := fmt.Sprintf("mixing took %.1f %% of the time, %.1f ms at the most; %d of %d blocks were late; %d garbage collections; ",
		100*l.Mean, l.Longest.Seconds()*1000, l.Late, l.Blocks, l.Collections)
	// The load that 90% of the blocks stayed below.
	sum := int64(0)
	for i, n := range l.Shares {
		if sum += n; sum*10 >= l.Blocks*9 && i < len(l.Shares)-1 {
			return line + fmt.Sprintf("nine in ten needed at most 1/%d of their time", 256>>i)
		}
	}
	return line + "more than one in ten was late"
}

// latencyLine describes in one line the latency between a call and the ear, in ms. The parameter l has the parts of the
// block and the limiter. The parts of the driver and the sound server are from the device d. If d counts how often the
// server ran out of audio, and this has happened, the line has that number too.
func latencyLine(l mixer.Latency, d device.Device) string {
	ms := func(t time.Duration) float64 { return t.Seconds() * 1000 }
	of := device.LatenciesOf(d)
	line := fmt.Sprintf("latency: at most %.1f ms for the next block, %.1f ms in the limiter, "+
		"at most %.1f ms in the driver, %.1f ms in the server",
		ms(l.Block), ms(l.Limiter), ms(of.Driver), ms(of.Server))
	if c, ok := d.(interface{ Underflows() int64 }); ok && c.Underflows() > 0 {
		line += fmt.Sprintf("; the server ran dry %s", words.Count(int(c.Underflows()), "time"))
	}
	return line
}

// followSheet reloads the sheet while it plays: it watches the sheet's file until ctx ends. After each change it loads
// the sheet with Options.LoadAgain and switches the player to it, with sounds from lib. If the new sheet is faulty, the
// show continues with the old one.
//
// Each reload and each fault is printed. The first line of the message also reaches Options.OnMessage.
func (s *performance) followSheet(ctx context.Context, lib *library.Library) {
	name := words.OneLine(s.options.Sheet)
	report := func(line string) {
		if s.log.note(line); s.options.OnMessage != nil {
			first, _, _ := strings.Cut(line, "\n")
			s.options.OnMessage(first)
		}
	}
	err := watch.File(ctx, s.options.Sheet, func() {
		sheet, err := s.options.LoadAgain(ctx)
		if sheet == nil && err == nil {
			return
		}
		var unchanged []string
		if err == nil {
			unchanged, err = s.player.Change(ctx, sheet, lib, func(apply func()) map[string]float64 {
				if s.options.ChangeSheet != nil {
					return s.options.ChangeSheet(sheet, apply)
				}
				apply()
				return nil
			})
		}
		switch {
		case ctx.Err() != nil:
		case err != nil:
			report(console.Message(err) + "\nthe show continues with the old sheet")
		case len(unchanged) > 0:
			report(fmt.Sprintf("%s: reloaded; %s unchanged until the show is restarted", name, strings.Join(unchanged, ", ")))
		default:
			report(name + ": reloaded")
		}
	})
	if err != nil {
		report(console.Message(err))
	}
}

// followSounds reloads sound files while the show plays: it watches the files of lib until ctx ends. Later starts use
// the new version of a changed file. If the file cannot be loaded, the old sound stays in use. Each failure is printed,
// and so is each reload of a sound that the player uses.
func (s *performance) followSounds(ctx context.Context, lib *library.Library) {
	err := watch.Files(ctx, lib, func(old, now *sounds.Sound, err error) {
		switch {
		case err != nil:
			s.console.Say("%s; the old sound stays in use", console.Message(err))
		case s.player.Replace(old, now):
			s.console.Say("%s: reloaded", words.OneLine(now.Name()))
		}
	})
	if err != nil {
		s.console.Say("%s", console.Message(err))
	}
}
