package mixer

import (
	"cmp"
	"slices"

	"voicepool/effect"
	"voicepool/pcm"
)

// MaxOutputs is how many outputs a mixer may have: pairs of channels of one device.
const MaxOutputs = 16

// Output is a pair of channels of the device with a mix of its own: it has a master bus, a
// limiter, a DC guard and a meter for itself.
//
// The master bus of the first output is the master of the mixer. Those of the others are buses
// of their names, below the master: a pause, a stop or a solo of the master is for all voices.
// Its gain, pan, mute, duck, effects, cutoffs and insert are for the first output alone.
type Output struct {
	Name    string       // not empty, unique, no bus's name; only the first may be "master"
	Channel int          // the first of its two channels: 1, 3, ... 31; 0: after the output before it
	Gain    pcm.Decibels // of its master bus, -120..+24; of the first Config.MasterGain does as well
	Insert  Insert       // an effect on its mix, before the gain; of the first Config.Insert does as well

	Effects           []effect.Effect // the same of the mixer's own, before Insert; of the first Config.Effects does as well
	LowPass, HighPass float64         // cutoffs, as of BusConfig; of the first those of Config do as well
}

// Outputs returns how many pairs of channels Render interleaves: frame i of pair k, from 0, is
// dst[i*Outputs()+k]. It is 1 without Config.Outputs and with Config.Fold. A pair that no output
// names is silent. Any goroutine.
func (m *Mixer) Outputs() int { return m.outputs }

// pair returns the number of the output's pair of channels, from 0.
func (o *Output) pair() int { return (o.Channel - 1) / 2 }

// pairs returns how many pairs of channels the device has to have for outputs.
func pairs(outputs []Output) int {
	n := 1
	for i := range outputs {
		n = max(n, outputs[i].pair()+1)
	}
	return n
}

// settleOutputs gives every output its channels, and the buses the parents that their outputs are.
func (c *Config) settleOutputs() {
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

// output returns the number of the output of a name, or -1.
func (c *Config) output(name string) int {
	return slices.IndexFunc(c.Outputs, func(o Output) bool { return o.Name == name })
}

// allBuses returns the buses as the tree has them: the master, those of the configuration, and
// last the master buses of the further outputs, of which roots is the number.
func (c *Config) allBuses() (all []BusConfig, roots int) {
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
	all = append([]BusConfig{master}, c.Buses...)
	for i := 1; i < len(c.Outputs); i++ {
		o := &c.Outputs[i]
		all = append(all, BusConfig{Name: o.Name, Gain: o.Gain, Insert: o.Insert, Effects: o.Effects, LowPass: o.LowPass, HighPass: o.HighPass})
	}
	return all, max(len(c.Outputs)-1, 0)
}

// outputs looks for what is wrong with the outputs. Their names are added to those of buses.
func (c *complaint) outputs(config *Config, names map[string]bool) {
	c.need(len(config.Outputs) <= MaxOutputs, "%d outputs, a mixer has at most %d", len(config.Outputs), MaxOutputs)
	users := map[int]string{}
	for i := range config.Outputs {
		o := &config.Outputs[i]
		c.need(o.Name != "", "output %d of Outputs has no name", i+1)
		c.need(i == 0 || o.Name != "master", "output %d of Outputs is called \"master\", which the first alone may be", i+1)
		c.need(!names[o.Name] || o.Name == "master", "two outputs or buses are called %q", o.Name)
		c.need(o.Channel%2 == 1 && o.Channel >= 1 && o.Channel < 2*MaxOutputs,
			"output %q begins at channel %d, which is not one of 1, 3, ... %d", o.Name, o.Channel, 2*MaxOutputs-1)
		other, taken := users[o.Channel]
		c.need(!taken, "outputs %q and %q have the same channels, %d-%d", other, o.Name, o.Channel, o.Channel+1)
		c.need(setGain.takes((*float64)(&o.Gain)), "output %q has a gain of %v dB, which is not in %v..%v", o.Name, o.Gain, MinGain, MaxGain)
		users[o.Channel], names[o.Name] = o.Name, true
	}
	if len(config.Outputs) > 0 {
		o := &config.Outputs[0]
		c.need(o.Gain == 0 || config.MasterGain == 0, "the gain of output %q is also given as MasterGain", o.Name)
		c.need(o.Insert == nil || config.Insert == nil, "the insert of output %q is also given as Config.Insert", o.Name)
		c.need(len(o.Effects) == 0 || len(config.Effects) == 0, "the effects of output %q are also given as Config.Effects", o.Name)
		c.need(o.LowPass == 0 || config.LowPass == 0, "the low-pass of output %q is also given as Config.LowPass", o.Name)
		c.need(o.HighPass == 0 || config.HighPass == 0, "the high-pass of output %q is also given as Config.HighPass", o.Name)
	}
}

// routes looks for buses that are to be heard on an output that is not theirs.
func (c *complaint) routes(config *Config, t tree) {
	for i := range config.Buses {
		b := &config.Buses[i]
		if b.Output == "" {
			continue
		}
		k := config.output(b.Output)
		c.need(k >= 0, "the output of bus %q, %q, is no output", b.Name, b.Output)
		c.need(k == t[i+1].output, "bus %q is on output %q, and its parent %q is not", b.Name, b.Output, b.Parent)
	}
}
