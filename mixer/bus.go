package mixer

import (
	"fmt"
	"time"

	"voicepool/internal/words"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
	"voicepool/voice"
)

// Bus names a bus of a mixer. It is a small comparable value. In Options and in
// TargetBus the zero Bus is the master of any mixer; its own methods fail with an error
// that wraps ErrOption. All methods are control side and may be called by any goroutine.
// What they ask acts at the next frame that is mixed. Sets and fades that no block has seen
// yet replace each other, and are never lost; the others fail with ErrBusy when the audio
// side is behind. For an exact frame see Mixer.At and TargetBus.
type Bus struct {
	mixer *Mixer
	index uint16
}

// Bus returns the bus of a name; "master" and the name of the first output are the master, the
// name of another output is its master bus. Control side. The error wraps ErrOption and names
// the nearest bus.
func (m *Mixer) Bus(name string) (Bus, error) {
	if i := m.tree.find(name); i >= 0 {
		return Bus{m, uint16(i)}, nil
	}
	if m.first != "" && name == m.first {
		return Bus{mixer: m}, nil
	}
	var names []string
	if m.first != "" {
		names = append(names, m.first)
	}
	for i := range m.tree {
		names = append(names, m.tree[i].name)
	}
	return Bus{}, fmt.Errorf("%w: there is no bus %q; the nearest is %q", ErrOption, name, words.Nearest(name, names))
}

// Name returns what the bus is called; "master" for the zero Bus.
func (b Bus) Name() string {
	if b.mixer == nil {
		return "master"
	}
	return b.mixer.tree[b.index].name
}

// Gain returns the gain that was set last, from 50 ms before the frame on that it was set for; that of its
// BusConfig before.
func (b Bus) Gain() pcm.Decibels {
	if b.mixer == nil {
		return 0
	}
	b.mixer.mutex.Lock()
	defer b.mixer.mutex.Unlock()
	b.mixer.gains.settle(b.mixer.next())
	return b.mixer.gains.now[b.index]
}

// SetGain sets the gain of all that the bus gives, ramped over 5 ms. gain is -120..+24 dB
// or -Inf; -80 or less is silence. pcm.FromFader makes one of a slider.
func (b Bus) SetGain(gain pcm.Decibels) error { return b.set(Change{Fields: FieldGain, Gain: gain}, 0) }

// SetPan sets the balance of the bus, -1 (left) .. +1 (right), ramped over 5 ms.
func (b Bus) SetPan(pan float64) error { return b.set(Change{Fields: FieldPan, Pan: pan}, 0) }

// SetLowPass sets the cutoff of the low-pass of all that the bus gives, 20..20,000 Hz, on its way for
// 5 ms. 0 is off.
func (b Bus) SetLowPass(hz float64) error {
	return b.set(Change{Fields: FieldLowPass, LowPass: hz}, 0)
}

// SetHighPass sets the cutoff of the high-pass of all that the bus gives, 20..20,000 Hz, on its way for
// 5 ms. 0 is off.
func (b Bus) SetHighPass(hz float64) error {
	return b.set(Change{Fields: FieldHighPass, HighPass: hz}, 0)
}

// SetPitch sets the pitch that the bus adds to its voices, -48..+48 semitones, ramped over
// 5 ms. The master has none.
func (b Bus) SetPitch(pitch pcm.Semitones) error {
	return b.set(Change{Fields: FieldPitch, Pitch: pitch}, 0)
}

// SetMute mutes the bus and all below it, or ends that, ramped over 5 ms.
func (b Bus) SetMute(on bool) error { return b.set(Change{Fields: FieldMute, Mute: on}, 0) }

// SetSolo solos the bus, or ends that, ramped over 5 ms. While any bus is soloed, only
// voices on soloed buses and below them are heard. A solo that is taken back between two
// blocks leaves no trace.
func (b Bus) SetSolo(on bool) error { return b.set(Change{Fields: FieldSolo, Solo: on}, 0) }

// Fade moves the gain to gain, -120..+24 dB or -Inf, within a time and along a shape. It
// stops nothing.
func (b Bus) Fade(gain pcm.Decibels, within time.Duration, shape voice.Shape) error {
	return b.set(Change{Fields: FieldGain, Gain: gain, Shape: shape}, within)
}

// SetDuck gives the bus another duck; the zero Duck ends it. A bus that is lowered goes to
// the new depth, or back, from where it is. The master can be ducked, too. It allocates.
func (b Bus) SetDuck(d Duck) error {
	return b.now(func(at Moment, _ Target) error { return at.SetDuck(b, d) })
}

// SetDuck gives a bus another duck at the moment, as Bus.SetDuck does.
func (at Moment) SetDuck(b Bus, d Duck) error {
	m := at.mixer
	if m == nil {
		return errNoMixer
	}
	if err := d.check(b.Name(), m.tree); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	p := &part{duck: d, ducking: m.newDucking(&d)}
	return m.send(command{kind: cmdDuck, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: TargetBus(b), part: p})
}

// SetInsert gives the bus another effect, faded over 5 ms, in which the one before runs
// beside it; nil: none. An effect belongs to one bus, once. It allocates.
func (b Bus) SetInsert(effect Insert) error {
	return b.now(func(at Moment, t Target) error {
		p := &part{insert: newInsert(effect, at.mixer.hop)}
		return at.mixer.send(command{kind: cmdInsert, frame: Now, target: t, part: p})
	})
}

// Pause holds all voices on the bus and below it, and what starts there meanwhile. Voices that a stop
// fades out end at once.
func (b Bus) Pause() error { return b.now(Moment.Pause) }

// Resume undoes Pause; the voices fade in over 5 ms.
func (b Bus) Resume() error { return b.now(Moment.Resume) }

// Stop ends all voices on the bus and below it, as Moment.Stop does.
func (b Bus) Stop(fade time.Duration) error {
	return b.now(func(at Moment, t Target) error { return at.Stop(t, fade) })
}

func (b Bus) set(c Change, within time.Duration) error {
	return b.now(func(at Moment, t Target) error { return at.Set(t, c, within) })
}

// now gives a command for the bus.
func (b Bus) now(command func(Moment, Target) error) error {
	if b.mixer == nil {
		return fmt.Errorf("%w: the zero Bus is the master of no mixer; ask for Mixer.Bus(\"master\")", ErrOption)
	}
	return command(b.mixer.At(Now), TargetBus(b))
}

// Levels is what the meter of a bus showed at the end of a step of 100 ms.
// Silence is -Inf in all of them.
type Levels struct {
	Frame     int64        // of the mix: the first one after the step; 0: no step is over yet
	Peak      pcm.Decibels // the largest sample of either channel in the last 400 ms, dBFS
	RMS       pcm.Decibels // of both channels, in the last 400 ms: a full-scale sine in both is -3 dBFS
	ShortTerm pcm.LUFS     // of the last 3 s, as EBU Tech 3341 has it: ungated; below 8 kHz unweighted
}

// Levels returns what the bus has given last, after its gains; of the master bus of an output
// what is heard, after the limiter. Without Config.Meters, and of the zero Bus, it is silence. It
// allocates nothing.
func (b Bus) Levels() Levels {
	var shown master.Shown
	if b.mixer != nil && b.mixer.meters != nil {
		shown = b.mixer.meters[b.index].Shown()
	}
	return Levels{shown.Frame, pcm.FromLinear(shown.Peak), pcm.FromPower(shown.Square), pcm.LoudnessOf(shown.Power)}
}
