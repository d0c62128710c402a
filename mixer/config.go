package mixer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"voicepool/effect"
	"voicepool/internal/words"
	"voicepool/pcm"
	"voicepool/voice"
)

var (
	// ErrBusy says that there is no free record or no place for a command: too many
	// are under way, since the audio side is behind, or were asked for later frames.
	// Nothing has changed; ask again later.
	ErrBusy = errors.New("mixer: busy")

	// ErrConfig is wrapped by the errors of New.
	ErrConfig = errors.New("mixer: bad configuration")

	// ErrOption is wrapped by the errors of calls whose arguments are not
	// usable. Nothing has changed.
	ErrOption = errors.New("mixer: bad argument")
)

// Overflow is what a full pool does with one more sound.
type Overflow uint8

const (
	StealQuietest Overflow = iota // steals the voice that will be least audible from now on
	StealOldest                   // steals the voice that started first
	StealGain                     // steals the voice with the least gain
	Reject                        // rejects the newcomer
	GrowPool                      // grows, see Grow; at its maximum steals the quietest
	StealMasked                   // steals the voice that the others hide best; needs Config.Virtual
)

var overflowNames = [...]string{"quietest", "oldest", "gain", "reject", "grow", "masked"}

func (o Overflow) String() string { return words.Name("overflow", o, overflowNames[:]) }

// ParseOverflow returns the policy of a name: quietest, oldest, gain, reject,
// grow or masked.
func ParseOverflow(name string) (Overflow, bool) {
	i := slices.Index(overflowNames[:], name)
	return Overflow(max(i, 0)), i >= 0
}

// Grow is how a pool grows and contracts.
type Grow struct {
	Step int           // voices more at a time, at least 1; 0: 8
	Max  int           // never more than this; 0: four times Config.Voices
	Idle time.Duration // contracts by a step after so long without need; 0: 2 s
}

// Config is what a mixer is made from; the zero value is a good mixer.
type Config struct {
	Rate      int // frames per second, 1..768,000; 0: 48,000
	Voices    int // slots, 1..65,536; 0: 32
	MaxVoices int // as far as Resize may go, Voices..65,536; 0: Voices, or Grow.Max
	// Virtual is how many voices that come to an end may be virtual, 0..65,536: a stolen
	// voice keeps time silently and returns when it is loud enough. Endless voices do so
	// anyway: as many as MaxVoices, and at least a quarter of Commands. See Options.WhenFull.
	Virtual        int
	Overflow       Overflow
	Grow           Grow // for GrowPool
	RejectQuietest bool // a newcomer that is itself the least audible is rejected
	Blind          bool // choices know gains alone, not filters, equalisers and sends: to compare with

	MasterGain pcm.Decibels    // -120..+24
	Insert     Insert          // an effect on the whole mix, before MasterGain and the limiter; nil: none
	Effects    []effect.Effect // the same of the mixer's own, before Insert
	// LowPass and HighPass are cutoffs of filters on the whole mix, as of BusConfig; 0: off.
	LowPass, HighPass float64

	// Quality is the interpolation of pitched voices whose Options choose none; 0: Best.
	Quality voice.Quality

	NoLimiter bool        // disables the limiter and its latency; NaN and Inf still become silence
	SoftClip  bool        // with NoLimiter: bends what is above -3 dBFS, so that nothing exceeds full scale
	DCGuard   bool        // removes a DC offset above -30 dBFS, within a second or two; otherwise changes nothing
	Buses     []BusConfig // in the order in which they are added up
	Outputs   []Output    // at most MaxOutputs; none: one, on channels 1 and 2. See Mixer.Outputs
	Fold      bool        // mixes all outputs into one, under one limiter; the choice of victims stays
	Meters    bool        // measures every bus, for Bus.Levels: about 0.1 % of a core each

	// Lead is how long after a call of now (of a handle, Play, Moments of Now, but
	// not SetPositions and SetListener), as against one At a frame, it acts: so
	// that calls between two blocks keep their distances in time instead of all
	// falling on the next block's first frame. It has to be at least the time of a
	// block, or calls are late. 0: they fall on that frame.
	Lead time.Duration

	// Clock is the time that Lead goes by, from any beginning, never backwards;
	// nil: the system's. Called on the control side, under its lock. A clock that
	// panics counts as one that stands still.
	Clock func() time.Duration

	// Commands is how many may be under way, at least 1; 0: 1,024. What is given here is made in
	// New, with all that so many starts need. Else calls make it when more is under way than
	// ever before, so that a mixer of 8 voices takes 128 KB, not a megabyte.
	Commands int

	// Events waiting to be polled, made in New; 0: enough for all that one block of up to 20 s makes,
	// unless streams run dry in it again and again, Resize makes the pool small, or, with a
	// Virtual of 0, endless voices take turns all the time.
	Events int

	Journal int // entries waiting to be read, see Mixer.Journal; 0: none are made

	// Stems keeps what each sound puts into the mix apart, see Mixer.Stems. It changes no
	// bit of the mix, takes some 30 KB for each sound and bus, and up to twice the time.
	Stems bool

	endless int // endless voices that may be virtual; 0: as Virtual says
	made    made
}

// BusConfig describes a bus, a named sub-mix.
type BusConfig struct {
	Name   string        // not empty, unique, and not "master"
	Parent string        // the bus that it goes into, or the output; "": the master
	Output string        // the output on which it is heard; "": that of its parent
	Gain   pcm.Decibels  // -120..+24
	Pan    float64       // -1..+1: a balance, since a bus is stereo
	Pitch  pcm.Semitones // -48..+48, added to that of the voices on it and below it
	Voices int           // at most so many on it and below it, unheard ones too: one more ends one; 0: any number
	Mute   bool          // starts muted
	Solo   bool          // starts soloed: only what is on soloed buses, and below them, is heard
	Duck   Duck          // the zero value does not duck
	Insert Insert        // an effect of yours on all that the bus gives; nil: none

	// Effects take what the bus mixes, in their order, before Insert and the gains; at most
	// MaxEffects.
	Effects []effect.Effect

	// LowPass and HighPass are the cutoffs of two filters of two poles on all that the bus gives, in Hz,
	// 20..20,000: behind Effects and Insert, before the gains. 0 is off, and costs nothing.
	LowPass, HighPass float64

	// Sends lead to other buses, besides the one that it goes into: what the bus gives, or, before
	// its gains, what it mixes. No way may lead back to the bus.
	Sends []Send
}

// Insert is an effect of the user's. Process is called on the audio side, inside
// Render: it must not block, and should not allocate. It changes a block in
// place, before the bus's gains; blocks follow each other without a gap, are of
// 1 frame to 20 ms, and also come while the bus is silent. One that panics, or
// leaves what is not finite, is taken out: the block goes on without it, and a
// Fault event says so.
type Insert interface {
	Process(block []pcm.Frame)
}

// Duck lowers a bus while another one is heard.
type Duck struct {
	When    string        // the other bus, not the master: while a voice on it or below it is loud enough
	By      pcm.Decibels  // by how much, 0..120; in a BusConfig more than 0
	Above   pcm.Decibels  // loud enough is an audibility, as in events, from here on, -120..-1; 0: DuckAbove
	Attack  time.Duration // from the first such voice on
	Hold    time.Duration // from the end of the last until the release begins
	Release time.Duration // the way back
}

// DuckAbove is how loud a voice is at least to which a bus gives way, unless Duck.Above says
// something else. Voices that are paused, muted or virtual do not count.
const DuckAbove pcm.Decibels = -50

// complaint is the first thing that is wrong with a configuration; nil: nothing.
type complaint struct{ error }

// need notes what is wrong where it is not good, unless something was before.
func (c *complaint) need(good bool, format string, values ...any) {
	if !good && c.error == nil {
		c.error = fmt.Errorf("%w: "+format, append([]any{ErrConfig}, values...)...)
	}
}

// ranged is need for a number, which the format has with its range.
func (c *complaint) ranged(x, least, most int, format string) {
	c.need(least <= x && x <= most, format, x, least, most)
}

// withDefaults returns c with its zeros filled in, or what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	var wrong complaint
	commands, events := c.Commands, c.Events
	c.Rate, c.Voices, c.Commands = cmp.Or(c.Rate, 48000), cmp.Or(c.Voices, 32), cmp.Or(c.Commands, 1024)
	c.Quality = cmp.Or(c.Quality, voice.Best)
	c.Buses = slices.Clone(c.Buses)
	c.settleOutputs()
	wrong.ranged(c.Voices, 1, MaxVoices, "%d voices are not in %d..%d")
	if g := &c.Grow; c.Overflow == GrowPool {
		g.Step, g.Max, g.Idle = cmp.Or(g.Step, 8), cmp.Or(g.Max, min(4*c.Voices, MaxVoices)), cmp.Or(g.Idle, 2*time.Second)
		wrong.need(g.Step >= 1 && g.Max >= c.Voices && g.Idle >= 0,
			"the pool cannot grow in steps of %d to %d voices after %v from %d", g.Step, g.Max, g.Idle, c.Voices)
		c.MaxVoices = max(cmp.Or(c.MaxVoices, g.Max), g.Max)
	}
	c.MaxVoices = cmp.Or(c.MaxVoices, c.Voices)
	c.endless = cmp.Or(c.endless, c.mostEndless())
	wrong.need(c.Quality <= voice.Cubic, "there is no quality %d", c.Quality)
	wrong.ranged(c.Rate, 1, MaxRate, "a rate of %d Hz is not in %d..%d")
	wrong.ranged(c.MaxVoices, c.Voices, MaxVoices, "at most %d voices, which is not in %d..%d")
	wrong.ranged(c.Virtual, 0, MaxVoices, "%d virtual voices are not in %d..%d")
	wrong.need(int(c.Overflow) < len(overflowNames), "%v is no policy", c.Overflow)
	wrong.need(c.Overflow != StealMasked || c.Virtual != 0, "%v goes with virtual voices, of which there are none", StealMasked)
	wrong.need(!c.RejectQuietest || c.Overflow == StealQuietest || c.Overflow == GrowPool,
		"to refuse the quietest newcomer goes with %v and %v, not with %v", StealQuietest, GrowPool, c.Overflow)
	wrong.ranged(c.Commands, 1, 1<<20, "%d commands are not in %d..%d")
	wrong.need(!c.SoftClip || c.NoLimiter, "a soft clip takes the place of the limiter: it goes with NoLimiter")
	wrong.need(c.Lead >= 0, "a lead of %v is negative", c.Lead)
	wrong.ranged(c.Journal, 0, 1<<24, "a journal of %d entries is not in %d..%d")
	if wrong.error == nil { // the count is of a configuration that is good
		c.Events = cmp.Or(c.Events, c.blockEvents())
	}
	wrong.ranged(c.Events, 1, maxEvents, "%d events are not in %d..%d")
	if wrong.error == nil { // the counts are of a configuration that is good
		c.made = c.size(commands, events)
	}
	wrong.need(setGain.takes((*float64)(&c.MasterGain)), "a master gain of %v dB is not in %v..%v", c.MasterGain, MinGain, MaxGain)
	wrong.buses(&c)
	return c, wrong.error
}

// buses looks for what is wrong with the buses.
func (c *complaint) buses(config *Config) {
	buses := config.Buses
	names := map[string]bool{"master": true}
	c.need(len(buses) <= MaxBuses, "%d buses, a mixer has at most %d", len(buses), MaxBuses)
	for i := range buses {
		b := &buses[i]
		c.need(b.Name != "", "bus %d of Buses has no name", i+1)
		c.need(b.Name != "master", "a bus is called \"master\", which is the name of the whole mix")
		c.need(!names[b.Name], "two buses are called %q", b.Name)
		for f, x := range [...]*float64{setGain: (*float64)(&b.Gain), setPan: &b.Pan, setPitch: (*float64)(&b.Pitch)} {
			if f := settable(f); !f.takes(x) {
				c.need(false, "bus %q: %s", b.Name, f.outside(*x))
			}
		}
		c.need(b.Voices >= 0, "bus %q: at most %d voices; 0 is any number", b.Name, b.Voices)
		names[b.Name] = true
	}
	c.outputs(config, names)
	all, roots := config.allBuses()
	tree, _, _ := newTree(all, roots)
	for i, b := range buses {
		if b.Parent != "" && !names[b.Parent] {
			c.need(false, "the parent of bus %q, %q, is no bus%s", b.Name, b.Parent, tree.nearest(b.Parent, b.Name))
		}
		c.need(tree[i+1].last > 0, "bus %q is below itself", b.Name) // those of a circle are not below the master
		err := b.Duck.check(b.Name, tree)
		c.need(err == nil, "%w", err)
		c.need(b.Duck == (Duck{}) || b.Duck.By > 0, "bus %q is ducked by 0 dB; say by how many", b.Name)
		c.sends(&b, tree)
	}
	c.routes(config, tree)
	c.effects(all, tree)
	c.cutoffs(all)
	if c.error == nil {
		bus, circle := tree.circle(all)
		c.need(bus == "", "bus %q comes to itself: %s", bus, circle)
	}
}

// check returns what is wrong with the duck of a bus of a tree.
func (d *Duck) check(bus string, t tree) error {
	switch {
	case *d == (Duck{}):
	case d.When == bus:
		return fmt.Errorf("bus %q cannot be ducked by itself", bus)
	case t.find(d.When) <= 0:
		return fmt.Errorf("bus %q is ducked when %q sounds, and there is no such bus%s", bus, d.When, t.nearest(d.When, bus))
	case !inRange(float64(d.By), 0, 120):
		return fmt.Errorf("bus %q is ducked by %v dB, which is not in 0..120", bus, d.By)
	case d.Above != 0 && !inRange(float64(d.Above), -120, -1):
		return fmt.Errorf("bus %q is ducked above %v dB, which is not in -120..-1", bus, d.Above)
	case min(d.Attack, d.Hold, d.Release) < 0:
		return fmt.Errorf("bus %q has a duck with a negative time: %v, %v, %v", bus, d.Attack, d.Hold, d.Release)
	}
	return nil
}

// maxEvents bounds the events that wait.
const maxEvents = 1 << 24

// inRange is false for NaN.
func inRange(x, from, to float64) bool { return x >= from && x <= to }

// tail returns how many frames a voice fades out that gives way.
func (c *Config) tail() int64 { return pcm.Frames(10*time.Millisecond, c.Rate) }

// The limits of a mixer, for whoever reads what one is made from: New, and what starts and moves
// voices, refuse what is beyond them.
const (
	MaxVoices   = 65536   // of Config.Voices, MaxVoices, Virtual and Grow.Max
	MaxBuses    = 4096    // besides the master
	MaxRate     = 768000  // frames per second
	MaxPriority = 1000000 // and no less than its negative
	MaxRounds   = 1000000000

	MinGain  = -120 // decibels
	MaxGain  = 24
	MaxPan   = 1       // and no less than its negative
	MaxPitch = 48      // semitones, and no less than its negative
	MinSpeed = 1. / 16 // a ratio
	MaxSpeed = 16

	MinCutoff = voice.MinCutoff // Hz
	MaxCutoff = voice.MaxCutoff
)

// Check returns what is wrong with a configuration, as New would.
func (c Config) Check() error {
	_, err := c.withDefaults()
	return err
}
