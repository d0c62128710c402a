package mixer

import (
	"cmp"
	"fmt"
	"time"

	"voicepool/internal/words"
	"voicepool/mixer/internal/batches"
	"voicepool/mixer/internal/busgain"
	"voicepool/mixer/internal/busmix"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Bus identifies a bus of a mixer. It is a small comparable value. In Options and in TargetBus, the zero
// Bus is the master of any mixer; its own methods fail with an error that wraps ErrOption.
//
// All methods are control side and safe for concurrent use. Changes take effect at the next frame that is
// mixed. Several sets or fades of one property between two blocks replace each other, so they are never
// lost. Other calls fail with ErrBusy when the audio side is behind. Use Engine.At and TargetBus for an
// exact frame.
type Bus struct {
	mixer *Mixer
	index uint16
}

// Bus returns the bus called name. For "master" and the name of the first output, it returns the master bus. For the
// name of another output, it returns the master bus of that output. For an unknown name the error wraps ErrOption and
// names the nearest bus. Control side.
func (m *Mixer) Bus(name string) (Bus, error) {
	if i := m.tree.Find(name); i >= 0 {
		return Bus{m, uint16(i)}, nil
	}
	if m.firstOutput != "" && name == m.firstOutput {
		return Bus{mixer: m}, nil
	}
	var names []string
	if m.firstOutput != "" {
		names = append(names, m.firstOutput)
	}
	for i := range m.tree.Nodes {
		names = append(names, m.tree.Nodes[i].Name)
	}
	return Bus{}, fmt.Errorf("%w: there is no bus %q; the nearest is %q", ErrOption, name, words.Nearest(name, names))
}

// Name returns the name of the bus; "master" for the zero Bus.
func (b Bus) Name() string {
	if b.mixer == nil {
		return "master"
	}
	return b.mixer.tree.Nodes[b.index].Name
}

// Gain returns the gain of the bus in dB that was set last, or the gain of the BusConfig; 0 for the zero Bus. During a
// fade it is the target. A gain that was set for a later frame is returned from 50 ms before that frame on.
func (b Bus) Gain() pcm.Decibels {
	if b.mixer == nil {
		return 0
	}
	return b.lastSet(&b.mixer.busGains)
}

// Volume returns the volume of the bus in dB that SetVolume or Moment.Set set last; 0 before, and for the zero Bus. A
// volume that was set for a later frame is returned from 50 ms before that frame on.
func (b Bus) Volume() pcm.Decibels {
	if b.mixer == nil {
		return 0
	}
	return b.lastSet(&b.mixer.busVolumes)
}

// lastSet returns the value of the bus in from, a readback of b.mixer.
func (b Bus) lastSet(from *busgain.Readback) pcm.Decibels {
	b.mixer.mutex.Lock()
	defer b.mixer.mutex.Unlock()
	return from.Gain(b.index, b.mixer.next())
}

// recordGains records that a call sets the gain or the volume of the bus with index bus to its value in c, as far as
// c.Fields selects them. They are set at a frame, or at an offset from the firing of batch, which may be nil. A frame
// of Now is the frame where a command of Now takes effect. The caller holds m.mutex.
func (m *Mixer) recordGains(batch *batches.Batch, frame int64, bus uint16, c *Change) {
	if c.Fields&(FieldGain|FieldVolume) == 0 {
		return
	}
	next := m.next()
	g := busgain.Gain{Frame: frame, Bus: bus, Gain: c.Gain}
	if frame == Now {
		g.Frame = next
	}
	if batch != nil {
		g.Batch = batch
	}
	if c.Fields&FieldGain != 0 {
		m.busGains.Record(g, next)
	}
	if g.Gain = c.Volume; c.Fields&FieldVolume != 0 {
		m.busVolumes.Record(g, next)
	}
}

// SetGain sets the gain of the bus, ramped over 5 ms. gain is -120..+24 dB or -Inf; -80 or less is silence. SetGain is
// for the game; SetVolume is for sliders of the player. The error wraps ErrOption for a value out of range or the zero
// Bus. With Config.Lead it may also be ErrBusy.
func (b Bus) SetGain(gain pcm.Decibels) error { return b.set(Change{Fields: FieldGain, Gain: gain}, 0) }

// SetVolume sets the volume of the bus, ramped over 5 ms. It is for the player of the game: no scene, sheet, duck or
// reload of a bank changes it. It multiplies with the gain, and it also scales all sends of the bus and of its voices,
// pre-fader ones included. A volume of a bus that both the source and the destination of a send pass through applies to
// the send once, so it does not change the ratio of wet and dry sound. volume is -120..+24 dB or -Inf; -80 or less is
// silence. pcm.FromFader converts a slider position. The journal omits volumes. The error wraps ErrOption for a value
// out of range or the zero Bus. With Config.Lead it may also be ErrBusy.
func (b Bus) SetVolume(volume pcm.Decibels) error {
	return b.set(Change{Fields: FieldVolume, Volume: volume}, 0)
}

// SetPan sets the balance of the bus to pan, from -1 (left) to +1 (right), ramped over 5 ms. The error wraps
// ErrOption for a value out of range or the zero Bus. With Config.Lead it may also be ErrBusy.
func (b Bus) SetPan(pan float64) error { return b.set(Change{Fields: FieldPan, Pan: pan}, 0) }

// SetLowPass sets the cutoff of the low-pass of the bus to hz, 20..20,000, ramped over 5 ms. 0 turns the low-pass
// off. The error wraps ErrOption for a value out of range or the zero Bus. With Config.Lead it may also be ErrBusy.
func (b Bus) SetLowPass(hz float64) error {
	return b.set(Change{Fields: FieldLowPass, Filters: Filters{LowPass: hz}}, 0)
}

// SetHighPass sets the cutoff of the high-pass of the bus to hz, 20..20,000, ramped over 5 ms. 0 turns the high-pass
// off. The error wraps ErrOption for a value out of range or the zero Bus. With Config.Lead it may also be ErrBusy.
func (b Bus) SetHighPass(hz float64) error {
	return b.set(Change{Fields: FieldHighPass, Filters: Filters{HighPass: hz}}, 0)
}

// SetPitch sets the pitch that the bus adds to its voices, -48..+48 semitones, ramped over 5 ms. The error wraps
// ErrOption for a value out of range, for the zero Bus and for the master, which has no pitch. With Config.Lead it may
// be ErrBusy.
func (b Bus) SetPitch(pitch pcm.Semitones) error {
	return b.set(Change{Fields: FieldPitch, Pitch: pitch}, 0)
}

// SetMute mutes the bus if on is true, and otherwise unmutes it. A muted bus silences all buses below it, too; the
// master silences only the first output. Either change is ramped over 5 ms. The error wraps ErrOption for the zero
// Bus. With Config.Lead it may also be ErrBusy.
func (b Bus) SetMute(on bool) error { return b.set(Change{Fields: FieldMute, Mute: on}, 0) }

// SetSolo solos the bus if on is true, and otherwise ends its solo. While any bus is soloed, only voices on soloed
// buses and on buses below them are heard. Either change is ramped over 5 ms. A solo that ends before the next block
// has no effect. For the zero Bus the error wraps ErrOption. With Config.Lead the error is ErrBusy if too many commands
// are under way.
func (b Bus) SetSolo(on bool) error { return b.set(Change{Fields: FieldSolo, Solo: on}, 0) }

// Fade moves the gain of the bus to the parameter gain, -120..+24 dB or -Inf, linearly in decibels over the duration
// over, at least 5 ms. It does not stop voices. Moment.Set has fades along other curves. The error wraps ErrOption for
// a value out of range or the zero Bus. With Config.Lead it may also be ErrBusy.
func (b Bus) Fade(gain pcm.Decibels, over time.Duration) error {
	return b.set(Change{Fields: FieldGain, Gain: gain, Shape: sounds.InDecibels}, over)
}

// SetDuck replaces the duck of the bus by d. If d.By is 0, as in the zero Duck, the duck is removed. If the old duck
// lowers the bus at that moment, the gain moves to the depth of d, or back to 0 dB if the duck is removed. The master
// can be ducked, too. The error is ErrBusy, or wraps ErrOption if d is invalid or for the zero Bus. SetDuck
// allocates.
func (b Bus) SetDuck(d Duck) error {
	return b.now(func(at Moment, _ Target) error { return at.SetDuck(b, d) })
}

// SetDuck replaces the duck of b by d at the moment, as Bus.SetDuck does. The zero Bus is the master. The error is
// ErrBusy, or wraps ErrOption if d is invalid or b is another mixer's.
func (at Moment) SetDuck(b Bus, d Duck) error {
	m := at.mixer
	if m == nil {
		return errNoMixer
	}
	if err := d.check(b.Name(), m.tree); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	p := &payload{duck: d, duckRules: m.newDuckRules(&d)}
	return m.send(command{kind: cmdDuck, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: TargetBus(b), payload: p})
}

// newDuckRules converts d for the audio side: times become frames, and the level Above becomes a power. The result is
// nil if d.By is 0, as in the zero Duck. An Above of 0 becomes DuckAbove. Attack and release last at least 5 ms, to
// avoid clicks. d must be valid.
func (s *shared) newDuckRules(d *Duck) *busmix.DuckRules {
	if d.By == 0 {
		return nil
	}
	above := cmp.Or(d.Above, DuckAbove).Linear()
	return &busmix.DuckRules{
		Trigger: s.tree.Find(d.When), Above: float32(above * above), By: float64(d.By), Hold: pcm.Frames(d.Hold, s.rate),
		Attack:  max(pcm.Frames(d.Attack, s.rate), s.smooth),
		Release: max(pcm.Frames(d.Release, s.rate), s.smooth),
	}
}

// SetInsert replaces the insert of the bus, an effect of yours, by effect; nil removes the insert. The old and the new
// insert run together during a crossfade of 5 ms. The same Insert must not be used twice, on one bus or on several.
// The error is ErrBusy, or wraps ErrOption for the zero Bus. SetInsert allocates.
func (b Bus) SetInsert(effect Insert) error {
	return b.now(func(at Moment, t Target) error {
		p := &payload{insert: effect, insertState: busmix.NewInsert(effect, at.mixer.hop)}
		return at.mixer.send(command{kind: cmdInsert, frame: Now, target: t, payload: p})
	})
}

// Pause pauses all voices on the bus and on buses below it; each leaves a tail of 10 ms. Voices that start there
// before Resume begin paused. Voices that are fading out after a stop end at once. The error is ErrBusy, or wraps
// ErrOption for the zero Bus.
func (b Bus) Pause() error { return b.now(Moment.Pause) }

// Resume ends a Pause of the bus; the voices fade in over 5 ms. Voices that are paused for another reason stay
// paused. The error is ErrBusy, or wraps ErrOption for the zero Bus.
func (b Bus) Resume() error { return b.now(Moment.Resume) }

// Stop ends all voices on the bus and on buses below it, as Moment.Stop does. They fade out over the duration over.
// Later starts are not affected. The error is ErrBusy, or wraps ErrOption for the zero Bus.
func (b Bus) Stop(over time.Duration) error {
	return b.now(func(at Moment, t Target) error { return at.Stop(t, over) })
}

// set changes the properties of the bus that c.Fields names to their values in c, from the next frame on. They are
// ramped over the duration over, at least 5 ms. The error wraps ErrOption for a value out of range or the zero Bus.
// With Config.Lead it may also be ErrBusy.
func (b Bus) set(c Change, over time.Duration) error {
	return b.now(func(at Moment, t Target) error { return at.Set(t, c, over) })
}

// now calls the function command with the moment Now and the bus as target, and returns its error. For the zero Bus it
// does not call command, and the error wraps ErrOption.
func (b Bus) now(command func(Moment, Target) error) error {
	if b.mixer == nil {
		return fmt.Errorf("%w: the zero Bus is the master of no mixer; ask for Mixer.Bus(\"master\")", ErrOption)
	}
	return command(b.mixer.Engine().At(Now), TargetBus(b))
}

// Levels is a reading of the meter of a bus. The meter updates in steps of 100 ms. Silence is -Inf.
type Levels struct {
	Frame     int64        // the first frame of the mix after those measured; 0: no reading yet
	Peak      pcm.Decibels // the largest sample of both channels in the last 400 ms, dBFS
	RMS       pcm.Decibels // of both channels, in the last 400 ms: a full-scale sine in both is -3 dBFS
	ShortTerm pcm.LUFS     // of the last 3 s, as in EBU Tech 3341: ungated; unweighted at sample rates below 8 kHz
}

// Levels returns the last reading of the meter of the bus, which measures the output of the bus after its gains. The
// master bus of an output is measured after the limiter. Without Config.Meters, and for the zero Bus, it returns
// silence. It does not allocate.
func (b Bus) Levels() Levels {
	var shown master.Shown
	if b.mixer != nil && b.mixer.meters != nil {
		shown = b.mixer.meters[b.index].Shown()
	}
	return Levels{shown.Frame, pcm.FromLinear(shown.Peak), pcm.FromPower(shown.Square), pcm.LoudnessOf(shown.Power)}
}
