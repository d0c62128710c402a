package bank

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/musicplan"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Point is a kind of point in musical time, in the words of a bank's file: "next bar", "next beat", "next 4 bars" or
// "marker NAME". The word "next" may be omitted. "next 4 bars" is the next bar whose number is 1 plus a multiple of 4.
// The name of a marker is NAME for every segment that has such a marker, and SEGMENT.NAME for one segment.
type Point string

// The usual points.
const (
	NextBeat Point = "next beat"
	NextBar  Point = "next bar"
)

// Every returns the point at every n-th bar, from bar 1. n is 1..10,000.
func Every(n int) Point { return Point(fmt.Sprintf("next %d bars", n)) }

// Marker returns the point at the marker called name.
func Marker(name string) Point { return Point("marker " + name) }

// Of returns the point p of the theme called theme, for Options.Quantize and Music.Next.
func (p Point) Of(theme string) Point { return p + Point(" of "+theme) }

// Music is a theme of a bank's file, with its segments and their musical time. Create it with Bank.Music. All methods
// are control side and safe for concurrent use.
//
// A method that changes the theme waits for an earlier change, which may open a stream. Position, Next, Handle and
// Events do not wait for it.
//
// Every method follows the voices of the theme through pauses and seeks, and plans a transition under way again if they
// have moved its exit. This opens the stream of a streamed segment. If the stream cannot be opened, or no exit is
// ahead, the transition waits until the theme is moved again. The result is exact to the frame unless a block is being
// mixed during the call; then the method assumes that the music has played on since the last call.
type Music struct {
	bank *Bank
	name string

	// Bank.mu guards the fields below.
	changing bool         // a method that changes the theme is under way; it releases Bank.mu while it opens a stream
	rules    *rules.Rules // the rules that theme belongs to
	theme    *musicplan.Theme
	options  Options // of Play, for later segments
	part
	set     anchor // after a Pause, Resume or Seek: the anchor until the next block
	next    change
	leaving []Handle     // earlier plays, which may still sound or fade out
	events  []MusicEvent // not polled yet; nil before the first call of Events
}

// part is a sequence of segments that play.
type part struct {
	play   Handle
	chain  musicplan.Chain // the segments of the voices of play
	anchor anchor

	stopping bool // Stop fades it out
}

// change is a transition that has not been completed. It is zero if no transition is under way.
type change struct {
	to      string       // name of the segment
	batch   *mixer.Batch // its commands; nil while it waits to be planned: the theme is paused, or the mixer was busy
	moved   bool         // its exit has moved, and it could not be cancelled
	failed  bool         // it could not be planned again, and waits until the theme is moved
	part                 // begins
	exit    int64        // the frame where the segment before ends
	stinger Handle
}

// anchor is a known place of a theme: the voice plays the position at the frame of the mix.
type anchor struct {
	voice           int // index in Music.chain
	frame, position int64
	paused          bool
}

// Position is the place of a theme in musical time.
type Position struct {
	Segment string // empty if the theme does not play
	Bar     int    // from 1; 0 before bar 1 of the segment
	Beat    int    // in the bar, from 1; 0 before bar 1
	Frame   int64  // the frame of the mix that is at this position
}

// Music returns the theme called name of the bank's file. Each call with that name returns the same Music. The error
// wraps ErrName, or is a rules.Errors if a segment or a marker does not fit its sound.
func (b *Bank) Music(name string) (*Music, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	mu := b.themes[name]
	if mu == nil {
		mu = &Music{bank: b, name: name}
	}
	if err := mu.refresh(); err != nil {
		return nil, err
	}
	if b.themes == nil {
		b.themes = map[string]*Music{}
		b.quantize = b.nextPoint
	}
	b.themes[name] = mu
	return mu, nil
}

// refresh makes the segments again if the rules of the bank have changed. Segments that play keep their musical time.
// After an error the old segments remain. The caller holds Bank.mu.
func (mu *Music) refresh() error {
	b := mu.bank
	if mu.rules == b.rules {
		return nil
	}
	known := map[string]bool{}
	for i := range b.rules.Music {
		m := &b.rules.Music[i]
		if known[m.Name] = true; m.Name != mu.name {
			continue
		}
		for _, segment := range m.Segments {
			if !b.sounds[segment.Sound].loaded() {
				return fmt.Errorf("%w: the theme %q; call LoadGroup with a group that lists it", ErrUnloaded, mu.name)
			}
		}
		theme, err := musicplan.NewTheme(b.rules.File, m, b.rules.Rate, func(name string) (int64, pcm.Loop) {
			s := b.sounds[name]
			if !s.rules.Loop {
				return s.files[0].Frames(), pcm.Loop{}
			}
			return s.files[0].Frames(), s.files[0].Loop()
		})
		if err != nil {
			return err
		}
		mu.rules, mu.theme = b.rules, theme
		return nil
	}
	return unknownError("theme", mu.name, known)
}

// Play starts the first segment of the theme at the next frame, and ends an earlier play of it with a tail of 10 ms.
// The segments named by `next` follow without a gap. The options apply to all segments, except From, For and FadeIn,
// which are for the first. The pitch and the speed must be zero. Priority has no effect: segments have the highest. It
// fails as Bank.Play and Bank.Music do, or with an error that wraps mixer.ErrOption. Then the theme plays on.
func (mu *Music) Play(o Options) error { return mu.PlayAt(mixer.Now, o) }

// PlayAt starts the theme as Play does, but at frame, as Bank.PlayAt does. An earlier play sounds until then. From the
// call on, all methods use the new play, which is before its first frame; Stop and Pause also end the earlier one.
func (mu *Music) PlayAt(frame int64, o Options) error {
	b := mu.bank
	mu.waitForTurn()
	defer mu.unlock(true)
	if b.mixer == nil {
		return noMixerError("Music.Play")
	}
	if o.Pitch != 0 || o.Speed != 0 && o.Speed != 1 {
		return fmt.Errorf("%w: a theme keeps its tempo; it has no pitch and speed", mixer.ErrOption)
	}
	if err := mu.refresh(); err != nil {
		return err
	}
	frame, err := b.quantized(frame, &o)
	if err != nil {
		return err
	}
	if o.Emitter != nil {
		o.Emitter = new(*o.Emitter)
	}
	o.Sends = slices.Clone(o.Sends)
	o.Priority, o.Importance = 0, 0
	return mu.begin(frame, 0, o)
}

// begin starts the segment i at frame, which may be mixer.Now, and ends the segments that play or fade out. After an
// error the theme plays on, and a transition under way stays or is planned again. The caller holds Bank.mu and the
// turn.
func (mu *Music) begin(frame int64, i int, o Options) error {
	b := mu.bank
	chain := mu.chainFrom(i)
	h, err := mu.start(b.mixer.Engine().At(frame), chain[0].Sound, &o)
	if err != nil {
		return err
	}
	mu.locate(false)
	to := mu.next.to
	if err := mu.cancel(); err != nil {
		_ = mu.voices(h).Stop(0)
		return err
	}
	mu.leave(mu.play)
	for _, old := range mu.leaving {
		if frame == mixer.Now {
			_ = mu.voices(old).Stop(0) // it can only be mixer.ErrGone
		} else if err := b.mixer.Engine().At(frame).Stop(mixer.TargetVoice(old.Handle), 0); err != nil {
			_ = mu.voices(h).Stop(0)
			mu.leaving = slices.DeleteFunc(mu.leaving, func(old Handle) bool { return old == mu.play })
			mu.next.to = to
			return err
		}
	}
	if frame == mixer.Now {
		frame = b.mixer.Engine().Next()
	}
	mu.part = part{play: h, chain: chain, anchor: anchor{frame: max(frame, b.mixer.Now()), position: pcm.Frames(o.From, b.rules.Rate)}}
	mu.set = anchor{frame: mixer.Now}
	o.From, o.For, o.FadeIn = 0, 0, 0
	mu.options = o
	return nil
}

// start starts the sound called name, with its successors by `then`, at the moment at. The caller holds Bank.mu,
// which is released while a stream is opened.
func (mu *Music) start(at mixer.Moment, name string, o *Options) (Handle, error) {
	b := mu.bank
	s, err := b.find(name)
	for err == nil && s.isClaimed() {
		b.claimEnded.Wait()
		s, err = b.find(name)
	}
	if err != nil {
		return Handle{}, err
	}
	if s.streams {
		b.claim(s)
		defer b.endClaim(s)
	}
	p := b.newPlay(s, o)
	err = b.startWithFollowers(p, at, s, o, mixer.Base{Speed: 1})
	if p.starting = false; err != nil {
		p.undo()
		return Handle{}, err
	}
	return Handle{Handle: p.voices[0], play: p, age: p.age}, nil
}

// Go plays the segment called name after the next exit of the segment that plays, as the transitions of the theme say.
// Another transition under way is replaced. If the theme is paused, the transition waits for Resume. If the theme does
// not play, or Stop fades it out, the segment starts at the next frame as in Play. The error wraps ErrName or ErrMixer,
// wraps mixer.ErrOption if the segment that plays has no exit ahead, or comes from mixer.Mixer.Play. After an error
// another transition under way stays. If only the stinger fails, Go returns its error, but the transition takes place.
//
// The pool cannot refuse the start: it has the highest priority and is protected, and in a pool full of protected
// voices it takes the slot of the segment that it follows, which then ends without its fade-out.
func (mu *Music) Go(name string) error {
	b := mu.bank
	mu.waitForTurn()
	defer mu.unlock(true)
	if b.mixer == nil {
		return noMixerError("Music.Go")
	}
	if err := mu.refresh(); err != nil {
		return err
	}
	if mu.theme.Find(name) < 0 {
		known := map[string]bool{}
		for _, s := range mu.theme.Segments {
			known[s.Name] = true
		}
		return unknownError("segment", name, known)
	}
	planned, err := mu.changeTo(name, mu.locate(true) && !mu.stopping)
	if !planned {
		mu.locate(true) // plans the transition before again
	}
	return err
}

// changeTo starts a transition to the segment called name, or starts it at once unless playing. planned is false after
// an error, except if only the stinger cannot be played. If the transition before has been cancelled nevertheless, it
// waits to be planned again. The caller holds Bank.mu and the turn, and has called locate.
func (mu *Music) changeTo(name string, playing bool) (planned bool, err error) {
	b, a := mu.bank, &mu.anchor
	e, before := b.mixer.Engine(), mu.next.to
	if err := mu.refresh(); err != nil {
		return false, err
	}
	to := mu.theme.Find(name)
	if to >= 0 && !playing {
		err = mu.begin(mixer.Now, to, mu.options)
		return err == nil, err
	}
	var plan musicplan.Plan
	if to >= 0 && !a.paused {
		var ok bool
		if plan, ok = mu.theme.Plan(mu.chain[a.voice:], a.position, mu.earliest(), to); !ok {
			return false, fmt.Errorf("%w: the segment %q has no exit to %q ahead", mixer.ErrOption, mu.chain[a.voice].Name, name)
		}
	}
	if err := mu.cancel(); err != nil || to < 0 { // a reload has removed it
		return err == nil, err
	}
	if a.paused {
		mu.next.to = name
		return true, nil
	}
	next := change{to: name, batch: e.NewBatch(), exit: a.frame + plan.Exit}
	pickup := mu.theme.Segments[to].Pickup
	next.chain, next.anchor.frame = mu.chainFrom(to), next.exit-pickup
	o := mu.options
	o.FadeIn = pcm.Duration(plan.FadeIn, b.rules.Rate)
	// The slot of the segment that ends is free before the start, or the start may take it.
	old := mixer.TargetVoice(mu.play.Handle)
	err = next.batch.At(pickup).Stop(old, pcm.Duration(plan.FadeOut, b.rules.Rate))
	if err == nil && (pickup > 0 || plan.FadeOut > 0) {
		err = next.batch.At(0).Set(old, mixer.Change{Fields: mixer.FieldProtect}, 0)
	}
	if err == nil {
		next.play, err = mu.start(next.batch.At(0), next.chain[0].Sound, &o)
	}
	if err == nil {
		err = e.At(next.anchor.frame).Fire(next.batch)
	}
	mu.next = next
	if err != nil {
		if mu.cancel() != nil {
			mu.abandon()
		}
		mu.next.to = before
		return false, err
	}
	if plan.Row == nil || plan.Row.Stinger == "" {
		return true, nil
	}
	stinger, err := b.play(next.exit, plan.Row.Stinger, &Options{})
	if mu.next.batch == next.batch { // it has not been completed while a stream was opened
		mu.next.stinger = stinger
	}
	return true, err
}

// replan plans the transition under way again, whose exit has moved. The results are as in changeTo. After
// mixer.ErrBusy the next call of locate tries again; after another error the transition is cancelled. The caller holds
// Bank.mu and the turn.
func (mu *Music) replan() (planned bool, err error) {
	planned, err = mu.changeTo(mu.next.to, true)
	switch {
	case planned:
	case errors.Is(err, mixer.ErrBusy) || mu.cancel() != nil:
		mu.next.moved = true
	default:
		mu.next = change{}
	}
	return planned, err
}

// cancel undoes the transition under way. A transition on the mixer before Bank.Use is not undone there. After an
// error, which is mixer.ErrBusy, the transition stays. The caller holds Bank.mu.
func (mu *Music) cancel() error {
	if mu.next.batch == nil {
		mu.next = change{}
		return nil
	}
	switch err := mu.bank.mixer.Engine().At(mixer.Now).Drop(mu.next.batch); {
	case errors.Is(err, mixer.ErrBusy):
		return err
	case err != nil: // another mixer's batch
		mu.next = change{}
		return nil
	}
	if _, fired := mu.next.batch.Base(); fired {
		_ = mu.voices(mu.play).Set(mixer.Change{Fields: mixer.FieldProtect, Protect: true}, 0)
	}
	mu.abandon()
	return nil
}

// abandon ends the voices of the transition under way, whose batch is dropped or never fires. The caller holds Bank.mu.
func (mu *Music) abandon() {
	_ = append(mu.voices(mu.next.play), mu.voices(mu.next.stinger)...).Stop(0)
	mu.next = change{}
}

// leave adds h to the plays that may still sound, and removes the ended plays. The caller holds Bank.mu.
func (mu *Music) leave(h Handle) {
	mu.leaving = slices.DeleteFunc(append(mu.leaving, h), func(h Handle) bool {
		return h.Mixer() != mu.bank.mixer || !slices.ContainsFunc(mu.voices(h), func(v mixer.Handle) bool { return !v.State().Over() })
	})
}

// leavingVoices returns the voices of earlier plays. The caller holds Bank.mu.
func (mu *Music) leavingVoices() (all mixer.Handles) {
	for _, h := range mu.leaving {
		all = append(all, mu.voices(h)...)
	}
	return all
}

// chainFrom returns the segment i and its successors by `next`.
func (mu *Music) chainFrom(i int) (chain musicplan.Chain) {
	for i >= 0 {
		s := mu.theme.Segments[i]
		chain = append(chain, s)
		next := mu.bank.sounds[s.Sound].rules.Then
		i = slices.IndexFunc(mu.theme.Segments, func(s *musicplan.Segment) bool { return s.Sound == next })
	}
	return chain
}

// voices returns a copy of the voices of the play h, without voices if it has been reused. The caller holds Bank.mu.
func (mu *Music) voices(h Handle) mixer.Handles {
	switch {
	case h.play == nil:
		return mixer.Handles{h.Handle}
	case h.play.age != h.age:
		return nil
	}
	return slices.Clone(mixer.Handles(h.play.voices))
}

// voice returns the voice i of the play, or the zero Handle if it is gone. The caller holds Bank.mu.
func (mu *Music) voice(i int) mixer.Handle {
	switch p := mu.play.play; {
	case p == nil && i == 0:
		return mu.play.Handle
	case p != nil && p.age == mu.play.age && i < len(p.voices):
		return p.voices[i]
	}
	return mixer.Handle{}
}

// locate moves the anchor to the present frame and reports whether the theme plays. It completes a transition whose
// exit has passed. With replan it plans a transition again whose exit has moved. The caller holds Bank.mu, and for
// replan the turn.
func (mu *Music) locate(replan bool) bool {
	b := mu.bank
	if b.mixer == nil || mu.play.Mixer() != b.mixer {
		return false
	}
	if mu.next.batch != nil && b.mixer.Now() >= mu.next.exit {
		mu.complete(mu.next.exit)
	}
	before := mu.anchor
	playing := mu.follow()
	if !playing && mu.next.batch != nil && mu.voice(before.voice).State() == mixer.StateStolen { // by its pickup
		mu.complete(b.mixer.Now())
		before, playing = mu.anchor, mu.follow()
	}
	mu.collect(before, playing)
	if !replan {
		return playing
	}
	expected := part{chain: mu.chain, anchor: before}
	expected.extrapolate(mu.anchor.frame)
	next, moved := &mu.next, expected.anchor != mu.anchor
	if to := next.to; to != "" && playing && (next.batch != nil || !mu.anchor.paused) && (moved || next.moved || next.batch == nil && !next.failed) {
		if planned, _ := mu.replan(); !planned && next.to == "" {
			*next = change{to: to, failed: true}
		}
	}
	return playing
}

// complete ends the transition under way: its segment is the part that plays from the given frame on. The caller holds
// Bank.mu.
func (mu *Music) complete(frame int64) {
	mu.pass(mu.anchor, mu.anchor.frame, frame-mu.anchor.frame)
	mu.next.extrapolate(frame)
	mu.leave(mu.play)
	mu.part, mu.next, mu.set = mu.next.part, change{}, anchor{frame: mixer.Now}
}

// follow moves the anchor to the present frame and reports whether the theme plays. The caller holds Bank.mu.
func (mu *Music) follow() bool {
	e, a := mu.bank.mixer.Engine(), &mu.anchor
	for i := a.voice; i < len(mu.chain); i++ {
		v := mu.voice(i)
		state := v.State()
		if v == (mixer.Handle{}) || state.Over() {
			continue
		}
		frame, position, ok := e.Playhead(v)
		switch now := mu.bank.mixer.Now(); {
		case now == mu.set.frame && i == mu.set.voice:
			*a = mu.set
		case ok:
			*a = anchor{i, frame, position, state == mixer.StatePaused}
		case i > 0 && state == mixer.StatePending && mu.voice(i-1).State() == mixer.StateEnded && !e.Mixing():
			*a = anchor{voice: i, frame: now} // its predecessor ended with the last block
		default:
			mu.extrapolate(now)
		}
		return true
	}
	return false
}

// extrapolate moves the anchor to the frame now as if the voices had played on.
func (p *part) extrapolate(now int64) {
	a := &p.anchor
	n := now - a.frame
	if a.frame = now; a.paused {
		return
	}
	for left := p.chain[a.voice].Frames - a.position; a.voice < len(p.chain)-1 && n >= left; left = p.chain[a.voice].Frames {
		n -= left
		a.voice, a.position = a.voice+1, 0
	}
	if n > 0 {
		a.position = p.chain[a.voice].Advance(a.position, n)
	} else {
		a.position += n
	}
}

// Position returns the present place of the theme, as of the last block. It is zero if the theme does not play.
func (mu *Music) Position() Position {
	free := mu.tryTurn()
	defer mu.unlock(free)
	if !mu.locate(free) {
		return Position{}
	}
	a := &mu.anchor
	s := mu.chain[a.voice]
	bar, beat := s.At(a.position)
	return Position{Segment: s.Name, Bar: bar, Beat: beat, Frame: a.frame}
}

// Next returns the frame of the mix of the next point p, for PlayAt and mixer.Engine.At. A point at the next frame
// counts. p may name the theme, see Point.Of. The result is mixer.Now if the theme does not play or has no such point
// ahead, or if p is not valid or names another theme.
func (mu *Music) Next(p Point) int64 {
	free := mu.tryTurn()
	defer mu.unlock(free)
	text, theme, named := strings.Cut(string(p), " of ")
	point, err := rules.ParseMusicPoint(text)
	if err != nil || named && theme != mu.name || !mu.locate(free) {
		return mixer.Now
	}
	if frame, ok := mu.find(point, mixer.Now); ok {
		return frame
	}
	return mixer.Now
}

// At returns the moment of the frame that Next returns for p, for commands of the mixer. If that is mixer.Now, for
// example because no marker has the name in p, the commands act at the next frame; call Next to distinguish this case.
// The methods of the moment fail before the bank has a mixer.
func (mu *Music) At(p Point) mixer.Moment {
	frame := mu.Next(p)
	mu.bank.mu.Lock()
	defer mu.bank.mu.Unlock()
	return mu.bank.mixer.Engine().At(frame)
}

// find returns the frame of the next point p at the frame from or later, or false without such a point. The caller
// holds Bank.mu, and locate has returned true.
func (mu *Music) find(p rules.MusicPoint, from int64) (frame int64, ok bool) {
	a, next := &mu.anchor, &mu.next
	after := max(mu.earliest(), from-a.frame)
	frames, ok := mu.chain[a.voice:].Wait(a.position, after, p)
	frame = a.frame + frames
	if next.batch != nil && (!ok || frame >= next.exit) { // the next segment counts from the exit
		after = max(a.frame+after, next.exit) - next.anchor.frame
		frames, ok = next.chain.Wait(0, after, p)
		frame = next.anchor.frame + frames
	}
	return frame, ok
}

// nextPoint returns the frame of the next point p, at frame or later, of the theme that plays. The error wraps
// mixer.ErrOption. The caller holds mu.
func (b *Bank) nextPoint(frame int64, p Point) (int64, error) {
	text, theme, named := strings.Cut(string(p), " of ")
	point, err := rules.ParseMusicPoint(text)
	if err != nil {
		return 0, fmt.Errorf("%w: Quantize: %w", mixer.ErrOption, err)
	}
	var playing *Music
	paused, first, several := "", "", false // first is the least name of the themes that count
	for name, mu := range b.themes {
		switch {
		case named && name != theme || !mu.locate(false):
		case mu.anchor.paused:
			if paused == "" || name < paused {
				paused = name
			}
		case playing == nil || playing.stopping && !mu.stopping:
			playing, first, several = mu, name, false
		case playing.stopping == mu.stopping:
			first, several = min(first, name), true
		}
	}
	switch {
	case several:
		return 0, fmt.Errorf("%w: Quantize: several themes play; name one, as in %q", mixer.ErrOption, Point(text).Of(first))
	case playing != nil:
	case paused != "":
		return 0, fmt.Errorf("%w: Quantize: the theme %q is paused; resume it before", mixer.ErrOption, paused)
	case named:
		return 0, fmt.Errorf("%w: Quantize: the theme %q does not play; start it before", mixer.ErrOption, theme)
	default:
		return 0, errNoTheme
	}
	frame, ok := playing.find(point, frame)
	if !ok {
		return 0, fmt.Errorf("%w: Quantize: the theme %q has no point %q ahead", mixer.ErrOption, playing.name, text)
	}
	return frame, nil
}

// earliest returns the number of frames from the anchor to the first frame that a command still reaches in time. The
// caller holds Bank.mu.
func (mu *Music) earliest() int64 {
	e := mu.bank.mixer.Engine()
	next := e.Next()
	if e.Mixing() {
		next += pcm.Frames(mu.bank.mixer.Latency().Block, mu.bank.mixer.Rate())
	}
	return max(next-mu.anchor.frame, 0)
}

// Handle returns the play of the segment that plays, for changes such as SetGain. It is zero before the first Play. Use
// the methods of Music to pause, seek and stop.
func (mu *Music) Handle() Handle {
	free := mu.tryTurn()
	defer mu.unlock(free)
	mu.locate(free)
	return mu.play
}

// Stop ends the theme over the duration over, as Handle.Stop does, with earlier segments that still sound, and cancels
// a transition. During the fade-out the theme has a Position, but Go does not wait for an exit. The error is
// mixer.ErrGone if the theme does not play. It is mixer.ErrBusy if the transition cannot be cancelled now; then the
// theme plays on.
func (mu *Music) Stop(over time.Duration) error {
	return mu.change(func() error {
		if err := mu.cancel(); err != nil {
			return err
		}
		mu.stopping = true
		return append(mu.voices(mu.play), mu.leavingVoices()...).Stop(over)
	})
}

// Pause holds the theme as Handle.Pause does. A transition waits for Resume. A pickup that plays ends, and so do
// earlier segments that still sound. It returns the same errors as Stop.
func (mu *Music) Pause() error {
	return mu.change(func() error {
		to := mu.next.to
		if err := mu.cancel(); err != nil {
			return err
		}
		mu.next.to = to
		_ = mu.leavingVoices().Stop(0)
		return mu.move(func(a *anchor) { a.paused = true }, mixer.Handles.Pause)
	})
}

// Resume ends a Pause. A transition that waits is planned again. The error is mixer.ErrGone if the theme does not play,
// or an error of Go, which cancels the transition, except mixer.ErrBusy: then the next call of a method plans it.
func (mu *Music) Resume() error {
	return mu.change(func() error {
		err := mu.move(func(a *anchor) { a.paused = false }, mixer.Handles.Resume)
		if err == nil && mu.next.to != "" && mu.next.batch == nil {
			_, err = mu.replan()
		}
		return err
	})
}

// Seek moves the segment that plays to position in its file, and plans a transition again. The error is mixer.ErrGone
// if the theme does not play, or as in Handle.Seek and Resume.
func (mu *Music) Seek(position time.Duration) error {
	return mu.change(func() error {
		v, to := mu.voice(mu.anchor.voice), pcm.Frames(position, mu.bank.rules.Rate)
		if err := v.Seek(position); err != nil {
			return err
		}
		if a := &mu.anchor; a.position < 0 { // it has not begun
			a.frame, a.position = a.frame-a.position, to
		} else {
			a.position = mu.chain[a.voice].Advance(0, to)
			mu.set = *a
		}
		if mu.next.to == "" {
			return nil
		}
		_, err := mu.replan()
		return err
	})
}

// waitForTurn locks Bank.mu and takes the turn to change the theme. It waits for another change, which may open a
// stream.
func (mu *Music) waitForTurn() {
	mu.bank.mu.Lock()
	for mu.changing {
		mu.bank.claimEnded.Wait()
	}
	mu.changing = true
}

// tryTurn locks Bank.mu. If no change of the theme is under way, it takes the turn and returns true.
func (mu *Music) tryTurn() bool {
	mu.bank.mu.Lock()
	free := !mu.changing
	mu.changing = true
	return free
}

// unlock returns the turn, if the caller has it, and unlocks Bank.mu.
func (mu *Music) unlock(hasTurn bool) {
	if hasTurn {
		mu.changing = false
		mu.bank.claimEnded.Broadcast()
	}
	mu.bank.mu.Unlock()
}

// change calls do with Bank.mu and the turn held, or returns mixer.ErrGone if the theme does not play.
func (mu *Music) change(do func() error) error {
	mu.waitForTurn()
	defer mu.unlock(true)
	if !mu.locate(true) {
		return mixer.ErrGone
	}
	return do()
}

// move calls do for the voices of the theme, and set for the anchor until the next block. The caller holds Bank.mu and
// has called locate.
func (mu *Music) move(set func(*anchor), do func(mixer.Handles) error) error {
	set(&mu.anchor)
	mu.set = mu.anchor
	return do(mu.voices(mu.play))
}
