package mixer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"voicepool/effect"
	"voicepool/internal/property"
	"voicepool/internal/words"
	"voicepool/mixer/internal/bustree"
	"voicepool/pcm"
	"voicepool/sounds"
)

var (
	// ErrBusy is returned if too many commands are under way: sent, but not executed yet. The maximum is
	// Config.Commands, and up to 64 less for a command at a later frame. Either Render is not called often
	// enough, or many commands were sent for later frames. The call had no effect; try again later.
	ErrBusy = errors.New("mixer: busy")

	// ErrConfig is wrapped by the errors of New.
	ErrConfig = errors.New("mixer: bad configuration")

	// ErrOption is wrapped by errors about bad arguments. The call had no effect.
	ErrOption = errors.New("mixer: bad argument")
)

// Overflow is the policy for a start when the pool is full.
type Overflow uint8

const (
	StealQuietest Overflow = iota // steals the voice that will be least audible from now on
	StealOldest                   // steals the voice that started first
	StealGain                     // steals the voice with the lowest gain
	Reject                        // rejects the incoming start
	GrowPool                      // grows the pool as Config.Grow allows; at the maximum steals the quietest
	StealMasked                   // steals the voice that is masked most by the others; needs Config.Virtual
)

var overflowNames = [...]string{"quietest", "oldest", "gain", "reject", "grow", "masked"}

// String returns the name of the policy as ParseOverflow takes it; for an unknown policy a text such as
// "overflow(9)".
func (o Overflow) String() string { return words.Name("overflow", o, overflowNames[:]) }

// ParseOverflow returns the policy with the given name: quietest, oldest, gain, reject, grow or masked. For any other
// name the error wraps ErrOption and names the nearest policy.
func ParseOverflow(name string) (Overflow, error) {
	return parseName[Overflow]("policy", name, overflowNames[:])
}

// parseName returns the index of name in names. For any other name the error wraps ErrOption. kind describes the value
// for the error.
func parseName[T ~uint8](kind, name string, names []string) (T, error) {
	x, err := words.Parse[T](kind, name, names)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrOption, err)
	}
	return x, err
}

// Grow configures the policy GrowPool.
type Grow struct {
	Step int           // voices added at a time, at least 1; 0: 8
	Max  int           // the largest size; 0: four times Config.Voices
	Idle time.Duration // the pool shrinks by a step after this time without need; 0: 2 s
}

// Config describes a mixer. The zero value is ready to use.
type Config struct {
	Rate      int // frames per second, 1..768,000; 0: 48,000
	Voices    int // slots, 1..65,536; 0: 32
	MaxVoices int // the maximum for Resize, Voices..65,536; 0: Voices, or Grow.Max
	// Virtual is the maximum number of virtual voices, 0..65,536. Endless voices do not count. A virtual
	// voice keeps its time silently and is restored when it is loud enough. Endless voices become virtual
	// regardless of Virtual: up to MaxVoices of them, or a quarter of Commands if that is more. See
	// Options.WhenFull.
	Virtual        int
	Overflow       Overflow
	Grow           Grow // for GrowPool
	RejectQuietest bool // rejects an incoming start that is 6 dB less audible than its victim, at equal priority
	IgnoreFilters  bool // decisions ignore filters, equalizers and sends; for comparisons

	MasterGain pcm.Decibels    // -120..+24
	Insert     Insert          // an effect of yours on the whole mix, before MasterGain and the limiter; may be nil
	Effects    []effect.Effect // built-in effects on the whole mix, before Insert
	// LowPass and HighPass are the cutoffs of filters on the whole mix, as in BusConfig; 0: off.
	LowPass, HighPass float64

	// Quality is the interpolation of pitched voices if Options.Quality is 0; 0: Best.
	Quality sounds.Quality

	NoLimiter bool        // disables the limiter and its latency; NaN and Inf still become silence
	SoftClip  bool        // with NoLimiter: bends samples above -3 dBFS, so that the output stays within full scale
	DCGuard   bool        // removes a DC offset above -30 dBFS within one or two seconds; otherwise leaves the mix unchanged
	Buses     []BusConfig // summed in this order
	Outputs   []Output    // at most MaxOutputs; empty: one, on channels 1 and 2. See Mixer.Outputs
	Fold      bool        // mixes all outputs into one, under one limiter; this does not change which voices are stolen
	Meters    bool        // measures every bus for Bus.Levels; costs about 0.1 % of a core per bus

	// Lead is the fixed delay between a call and the frame at which it takes effect. It preserves the
	// time between calls. Without it, all calls between two blocks take effect at the first frame of the
	// next block. Lead applies to handles, Play and Moments of Now, but not to SetPositions and
	// SetListener. It has to be at least the length of a block, or commands are late. 0: off.
	Lead time.Duration

	// Clock returns the time for Lead, counted from any origin. It must never go backwards. nil: the
	// system clock. It is called on the control side with a lock held. If it panics, the last time is
	// used.
	Clock func() time.Duration

	// Commands is the maximum number of commands under way (sent, but not executed yet), at least 1; 0:
	// 1,024. If it is set, New allocates the memory for all of them and their starts. If it is 0, the
	// memory grows on demand, so a mixer of 8 voices takes 128 KB instead of a megabyte.
	Commands int

	// Events is the capacity of the event queue, which New allocates. 0: enough for all events of one
	// block of up to 20 s. A block may need more if its streams underrun repeatedly or Resize shrinks the
	// pool. If Virtual is 0, a block may also need more if endless voices lose and regain their slots all
	// the time.
	Events int

	Journal int // capacity of the journal, see Engine.Journal; 0: off

	// Stems keeps the contribution of each sound to the mix, see Engine.Stems. The mix itself stays equal
	// to the bit. It needs about 30 KB for each sound and bus, and up to twice the time.
	Stems bool

	maxVirtualEndless int // maximum number of virtual endless voices; 0: defaultMaxEndless
	initial           initialCapacity
}

// BusConfig describes a bus, a named sub-mix.
type BusConfig struct {
	Name   string        // not empty, unique, and not "master"
	Parent string        // the bus or output that it feeds; "": the master
	Output string        // the output that it is heard on; "": its parent's
	Gain   pcm.Decibels  // -120..+24
	Pan    float64       // -1..+1: a balance, because a bus is stereo
	Pitch  pcm.Semitones // -48..+48, added to the pitch of all voices on it and below it
	Voices int           // maximum number of voices on it and below it, virtual ones included; 0: no limit
	Mute   bool          // starts muted
	Solo   bool          // starts soloed: only soloed buses and the buses below them are heard
	Duck   Duck          // the zero value does not duck
	Insert Insert        // an effect of yours on the output of the bus; may be nil

	// Effects are built-in effects, at most MaxEffects. They process the bus in this order, before Insert
	// and the gains.
	Effects []effect.Effect

	// LowPass and HighPass are the cutoffs of two two-pole filters in Hz, 20..20,000. They come after
	// Effects and Insert and before the gains. 0: off, at no cost.
	LowPass, HighPass float64

	// Sends feed other buses in addition to the parent. A send takes the output of the bus, or with
	// Send.Pre its mix before the gains. Sends and parents must not form a loop.
	Sends []Send
}

// Insert is an effect supplied by the user. Render calls Process on the audio side, so Process must not
// block and should not allocate. It changes a block in place, before the gains of the bus. Blocks have 1
// frame to 20 ms and follow each other without a gap, also while the bus is silent. If Process panics or
// leaves a NaN or Inf, the insert is removed, and the block continues without it. A Fault event reports
// this.
type Insert interface {
	Process(block []pcm.Frame)
}

// Duck lowers a bus while another one is heard.
type Duck struct {
	When    string        // the other bus, not the master: it triggers while a voice on it or below it is loud enough
	By      pcm.Decibels  // the attenuation, 0..120; in a BusConfig more than 0
	Above   pcm.Decibels  // the audibility, without importance, that triggers it, -120..-1; 0: DuckAbove
	Attack  time.Duration // how long lowering takes
	Hold    time.Duration // how long the bus stays lowered after the other one is no longer loud enough
	Release time.Duration // how long raising takes
}

// DuckAbove is the default of Duck.Above, the audibility in dB that triggers a duck. Voices that are
// paused, muted or virtual do not trigger a duck.
const DuckAbove pcm.Decibels = -50

// configCheck collects the first error of a configuration.
type configCheck struct{ error }

// require records an error if good is false and no error was recorded before. The error wraps ErrConfig. Its message
// is format with the values, as in fmt.Errorf.
func (c *configCheck) require(good bool, format string, values ...any) {
	if !good && c.error == nil {
		c.error = fmt.Errorf("%w: "+format, append([]any{ErrConfig}, values...)...)
	}
}

// requireRange records an error with a *pcm.RangeError, as require does, if x is outside least..most or NaN. name and
// unit are for the error.
func (c *configCheck) requireRange(x, least, most float64, name, unit string) {
	c.require(inRange(x, least, most), "%w", &pcm.RangeError{Name: name, Value: x, Min: least, Max: most, Unit: unit})
}

// requireProperty records an error, as require does, if *x is out of the range of property f. of names the object of
// the property in the message, such as a bus. It replaces a gain of -Inf by the minimum gain.
func (c *configCheck) requireProperty(of string, f property.ID, x *float64) {
	if !normalize(f, x) {
		c.require(false, "%s: %w", of, rangeError(f, *x))
	}
}

// checkedConfig is a valid configuration with its defaults filled in.
type checkedConfig struct {
	Config
	buses []BusConfig   // all buses by index, see allBuses
	tree  *bustree.Tree // of buses
}

// withDefaults returns c with its defaults filled in. If c is not valid, it also returns the first error found, which
// wraps ErrConfig. The buses with their sends, and the outputs of the result are copies; their effects are shared with
// c.
func (c Config) withDefaults() (checkedConfig, error) {
	var check configCheck
	commands, events := c.Commands, c.Events
	c.Rate, c.Voices, c.Commands = cmp.Or(c.Rate, 48000), cmp.Or(c.Voices, 32), cmp.Or(c.Commands, 1024)
	c.Quality = cmp.Or(c.Quality, sounds.Best)
	c.Buses = slices.Clone(c.Buses)
	c.fillOutputDefaults()
	check.requireRange(float64(c.Voices), 1, MaxVoices, "Voices", "")
	if g := &c.Grow; c.Overflow == GrowPool {
		g.Step, g.Max, g.Idle = cmp.Or(g.Step, 8), cmp.Or(g.Max, min(4*c.Voices, MaxVoices)), cmp.Or(g.Idle, 2*time.Second)
		check.require(g.Step >= 1 && g.Max >= c.Voices && g.Idle >= 0,
			"the pool cannot grow in steps of %d to %d voices after %v from %d", g.Step, g.Max, g.Idle, c.Voices)
		c.MaxVoices = max(cmp.Or(c.MaxVoices, g.Max), g.Max)
	}
	c.MaxVoices = cmp.Or(c.MaxVoices, c.Voices)
	c.maxVirtualEndless = cmp.Or(c.maxVirtualEndless, c.defaultMaxEndless())
	check.require(c.Quality <= sounds.Cubic, "there is no quality %d", c.Quality)
	check.requireRange(float64(c.Rate), 1, MaxRate, "Rate", "Hz")
	check.requireRange(float64(c.MaxVoices), float64(c.Voices), MaxVoices, "MaxVoices", "")
	check.requireRange(float64(c.Virtual), 0, MaxVoices, "Virtual", "")
	check.require(int(c.Overflow) < len(overflowNames), "%v is no policy", c.Overflow)
	check.require(c.Overflow != StealMasked || c.Virtual != 0, "%v goes with virtual voices, of which there are none", StealMasked)
	check.require(!c.RejectQuietest || c.Overflow == StealQuietest || c.Overflow == GrowPool,
		"to refuse the quietest newcomer goes with %v and %v, not with %v", StealQuietest, GrowPool, c.Overflow)
	check.requireRange(float64(c.Commands), 1, 1<<20, "Commands", "")
	check.require(!c.SoftClip || c.NoLimiter, "a soft clip takes the place of the limiter: it goes with NoLimiter")
	check.require(c.Lead >= 0, "a lead of %v is negative", c.Lead)
	check.requireRange(float64(c.Journal), 0, 1<<24, "Journal", "entries")
	if check.error == nil { // maxBlockEvents needs a valid configuration
		c.Events = cmp.Or(c.Events, c.maxBlockEvents())
	}
	check.requireRange(float64(c.Events), 1, maxEvents, "Events", "")
	if check.error == nil { // so does size
		c.initial = c.initialCapacity(commands, events)
	}
	check.requireProperty("the master", property.Gain, (*float64)(&c.MasterGain))
	check.buses(c.Buses)
	check.outputs(&c)
	checked := checkedConfig{Config: c, buses: c.allBuses()}
	check.effects(checked.buses)
	check.cutoffs(checked.buses)
	var err error
	if checked.tree, err = newTree(checked.buses, c.Outputs); err != nil {
		check.require(false, "%w", err)
		return checked, check.error
	}
	for i := range c.Buses {
		b := &c.Buses[i]
		err := b.Duck.check(b.Name, checked.tree)
		check.require(err == nil, "%w", err)
		check.require(b.Duck == (Duck{}) || b.Duck.By > 0, "bus %q is ducked by 0 dB; say by how many", b.Name)
	}
	return checked, check.error
}

// newTree returns the tree of buses, which are in the order of allBuses. The error, for names that do not fit together
// and for loops, has no prefix.
func newTree(buses []BusConfig, outputs []Output) (*bustree.Tree, error) {
	described, names := make([]bustree.Bus, len(buses)), make([]string, len(outputs))
	for i := range buses {
		b, d := &buses[i], &described[i]
		d.Name, d.Parent, d.Output, d.Keys = b.Name, b.Parent, b.Output, make([]bustree.Key, len(b.Effects))
		for j := range b.Sends {
			d.Sends = append(d.Sends, b.Sends[j].To)
		}
		for j := range b.Effects {
			if kind := b.Effects[j].Kind(); kind != nil {
				d.Keys[j] = bustree.Key{Effect: kind.Name, Bus: b.Effects[j].Key}
			}
		}
	}
	for i := range outputs {
		names[i] = outputs[i].Name
	}
	return bustree.New(described, names)
}

// buses checks the values of buses and of their sends, and records the first error in c. It replaces gains of -Inf by
// MinGain, in copies of the sends.
func (c *configCheck) buses(buses []BusConfig) {
	c.require(len(buses) <= MaxBuses, "%d buses, a mixer has at most %d", len(buses), MaxBuses)
	for i := range buses {
		b := &buses[i]
		for f, x := range [...]*float64{property.Gain: (*float64)(&b.Gain), property.Pan: &b.Pan, property.Pitch: (*float64)(&b.Pitch)} {
			c.requireProperty(fmt.Sprintf("bus %q", b.Name), property.ID(f), x)
		}
		c.require(b.Voices >= 0, "bus %q: at most %d voices; 0 is any number", b.Name, b.Voices)
		b.Sends = slices.Clone(b.Sends)
		c.sends(b)
	}
}

// check returns an error if d is not valid for the bus named bus in the tree t, otherwise nil. The error wraps neither
// ErrOption nor ErrConfig. The zero Duck is valid.
func (d *Duck) check(bus string, t *bustree.Tree) error {
	switch {
	case *d == (Duck{}):
	case d.When == bus:
		return fmt.Errorf("bus %q cannot be ducked by itself", bus)
	case t.Find(d.When) <= 0:
		return fmt.Errorf("bus %q is ducked when %q sounds, and there is no such bus%s", bus, d.When, t.Nearest(d.When, bus))
	case !inRange(float64(d.By), 0, 120):
		return fmt.Errorf("bus %q: %w", bus, &pcm.RangeError{Name: "Duck.By", Value: float64(d.By), Max: 120, Unit: "dB"})
	case d.Above != 0 && !inRange(float64(d.Above), -120, -1):
		return fmt.Errorf("bus %q: %w", bus, &pcm.RangeError{Name: "Duck.Above", Value: float64(d.Above), Min: -120, Max: -1, Unit: "dB"})
	case min(d.Attack, d.Hold, d.Release) < 0:
		return fmt.Errorf("bus %q has a duck with a negative time: %v, %v, %v", bus, d.Attack, d.Hold, d.Release)
	}
	return nil
}

// maxEvents is the maximum of Config.Events.
const maxEvents = 1 << 24

// inRange reports whether from <= x <= to; false if x is NaN.
func inRange(x, from, to float64) bool { return x >= from && x <= to }

// tail returns the length of the tail of a stolen voice, 10 ms, in frames. A stolen voice fades out over its tail.
func (c *Config) tail() int64 { return pcm.Frames(10*time.Millisecond, c.Rate) }

// The limits of a mixer. New, and the calls that start and change voices, refuse values beyond them.
const (
	MaxVoices     = 65536                  // of Config.Voices, MaxVoices, Virtual and Grow.Max
	MaxBuses      = 4096                   // without the master
	MaxRate       = 768000                 // frames per second
	MaxPriority   = property.MaxPriority   // 1,000,000; the minimum is -MaxPriority
	MaxImportance = property.MaxImportance // 60 dB; the minimum is -MaxImportance
	MaxRounds     = property.MaxRounds     // 1,000,000,000, of Options.Rounds and Handle.SetLoop

	MinGain   = property.MinGain   // -120 dB
	MaxGain   = property.MaxGain   // +24 dB
	MaxPan    = property.MaxPan    // 1; the minimum is -MaxPan
	MaxPitch  = property.MaxPitch  // 48 semitones; the minimum is -MaxPitch
	MinSpeed  = property.MinSpeed  // 1/16, a ratio
	MaxSpeed  = property.MaxSpeed  // 16
	MinCutoff = property.MinCutoff // 20 Hz
	MaxCutoff = property.MaxCutoff // 20,000 Hz
)

// Check returns the error that New would return for c, or nil if c is valid. It creates no mixer.
func (c Config) Check() error {
	_, err := c.withDefaults()
	return err
}
