package mixer

import (
	"cmp"
	"fmt"
	"slices"

	"voicepool/effect"
	"voicepool/internal/property"
	"voicepool/pcm"
)

// MaxOutputs is the maximum number of outputs of a mixer.
const MaxOutputs = 16

// Output is a pair of channels of the device with its own mix: its own master bus, limiter, DC guard and
// meter.
//
// The master bus of the first output is the master of the mixer. The master buses of the other outputs
// have their names and are below the master in the tree. So pause, stop and solo of the master apply to
// all voices. The gain, pan, mute, duck, effects, cutoffs and insert of the master apply to the first
// output alone.
type Output struct {
	Name    string       // not empty, unique, different from all bus names; only the first may be "master"
	Channel int          // the first of its two channels: 1, 3, ... 31; 0: the pair after the previous output
	Gain    pcm.Decibels // of its master bus, -120..+24; for the first output Config.MasterGain is equivalent
	Insert  Insert       // an effect of yours on its mix, before the gain; for the first output Config.Insert is equivalent

	Effects           []effect.Effect // built-in effects before Insert; for the first output Config.Effects is equivalent
	LowPass, HighPass float64         // cutoffs, as in BusConfig; for the first output the fields of Config are equivalent
}

// Outputs returns the number of channel pairs that Render interleaves. Frame i of pair k, from 0, is
// dst[i*Outputs()+k]. It is 1 without Config.Outputs and with Config.Fold. Unused pairs are silent. Safe
// for concurrent use.
func (m *Mixer) Outputs() int { return m.outputs }

// pair returns the index of the channel pair: 0 for channels 1 and 2. Channel must not be 0.
func (o *Output) pair() int { return (o.Channel - 1) / 2 }

// fillOutputDefaults fills in the defaults of outputs. An output without a channel gets the two channels after the
// previous output, or the first two channels. A bus that has an output but no parent becomes a child of that output's
// master bus. A parent that is the first output is replaced by "", the master. It replaces c.Outputs by a copy, but
// changes c.Buses in place, so c.Buses must be a copy already.
func (c *Config) fillOutputDefaults() {
	c.Outputs = slices.Clone(c.Outputs)
	next := 1
	for i := range c.Outputs {
		o := &c.Outputs[i]
		o.Channel = cmp.Or(o.Channel, next)
		next = o.Channel + 2
	}
	if len(c.Outputs) == 0 {
		return
	}
	first := c.Outputs[0].Name
	for i := range c.Buses {
		b := &c.Buses[i]
		if b.Parent == "" && c.output(b.Output) >= 0 {
			b.Parent = b.Output
		}
		if b.Parent == first {
			b.Parent = ""
		}
	}
}

// output returns the index of the output called name, or -1.
func (c *Config) output(name string) int {
	return slices.IndexFunc(c.Outputs, func(o Output) bool { return o.Name == name })
}

// allBuses returns the settings of all buses of the mixer in the order of its tree: the master, c.Buses, and a master
// bus for each output after the first. The master has the settings of c or, if they are set, of the first output. c is
// unchanged.
func (c *Config) allBuses() []BusConfig {
	master := BusConfig{Name: "master", Gain: c.MasterGain, Insert: c.Insert, Effects: c.Effects, LowPass: c.LowPass, HighPass: c.HighPass}
	if len(c.Outputs) > 0 {
		o := &c.Outputs[0]
		master.Gain = cmp.Or(o.Gain, master.Gain)
		master.LowPass, master.HighPass = cmp.Or(o.LowPass, master.LowPass), cmp.Or(o.HighPass, master.HighPass)
		if o.Insert != nil {
			master.Insert = o.Insert
		}
		if len(o.Effects) > 0 {
			master.Effects = o.Effects
		}
	}
	all := append([]BusConfig{master}, c.Buses...)
	for i := 1; i < len(c.Outputs); i++ {
		o := &c.Outputs[i]
		all = append(all, BusConfig{Name: o.Name, Gain: o.Gain, Insert: o.Insert, Effects: o.Effects, LowPass: o.LowPass, HighPass: o.HighPass})
	}
	return all
}

// outputs checks the outputs of config, whose default channels are filled in: their number, channels and gains. A
// setting of the first output must not also be given in config itself. outputs records the first error in c. It
// replaces gains of -Inf by MinGain.
func (c *configCheck) outputs(config *Config) {
	c.require(len(config.Outputs) <= MaxOutputs, "%d outputs, a mixer has at most %d", len(config.Outputs), MaxOutputs)
	users := map[int]string{}
	for i := range config.Outputs {
		o := &config.Outputs[i]
		c.require(o.Channel%2 == 1 && o.Channel >= 1 && o.Channel < 2*MaxOutputs,
			"output %q begins at channel %d, which is not one of 1, 3, ... %d", o.Name, o.Channel, 2*MaxOutputs-1)
		other, taken := users[o.Channel]
		c.require(!taken, "outputs %q and %q have the same channels, %d-%d", other, o.Name, o.Channel, o.Channel+1)
		c.requireProperty(fmt.Sprintf("output %q", o.Name), property.Gain, (*float64)(&o.Gain))
		users[o.Channel] = o.Name
	}
	if len(config.Outputs) > 0 {
		o := &config.Outputs[0]
		c.require(o.Gain == 0 || config.MasterGain == 0, "the gain of output %q is also given as MasterGain", o.Name)
		c.require(o.Insert == nil || config.Insert == nil, "the insert of output %q is also given as Config.Insert", o.Name)
		c.require(len(o.Effects) == 0 || len(config.Effects) == 0, "the effects of output %q are also given as Config.Effects", o.Name)
		c.require(o.LowPass == 0 || config.LowPass == 0, "the low-pass of output %q is also given as Config.LowPass", o.Name)
		c.require(o.HighPass == 0 || config.HighPass == 0, "the high-pass of output %q is also given as Config.HighPass", o.Name)
	}
}
