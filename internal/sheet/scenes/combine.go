package scenes

import (
	"cmp"
	"maps"
	"slices"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
)

// sceneChange holds the values that a scene sets on one bus.
type sceneChange struct {
	scene *rules.Scene
	set   *rules.SceneBus
}

// combine changes b from the values of the file to the values while scenes are active. changes has the values of the
// scenes that change the bus, sorted by the names of the scenes. combine reorders changes. rate is the sample rate in
// Hz. Maps of b are replaced, not changed.
//
// Each gain, of the bus and of its sends, contributes its difference from the file's. Any mute mutes the bus. The
// lowest low-pass and the highest high-pass count. The duck with the largest By counts; among equal ones the duck with
// the longest release, and then of the first scene by name. An effect value comes from the scene with the highest
// priority, and then from the first by name.
func (b *busState) combine(changes []sceneChange, rate int) {
	file := b.change.Gain
	var gain gainSum
	var muteSet, lowPassSet, highPassSet bool
	var sends map[string]*gainSum
	effects := false
	for _, change := range changes {
		set := change.set
		if set.Gain != nil {
			gain.add(*set.Gain, file)
		}
		if set.Mute != nil {
			b.change.Mute = muteSet && b.change.Mute || *set.Mute
			muteSet = true
		}
		if hz := set.LowPass; hz != nil {
			if !lowPassSet || *hz != 0 && (b.change.LowPass == 0 || *hz < b.change.LowPass) { // 0 is off
				b.change.LowPass = *hz
			}
			lowPassSet = true
		}
		if hz := set.HighPass; hz != nil {
			if !highPassSet || *hz > b.change.HighPass {
				b.change.HighPass = *hz
			}
			highPassSet = true
		}
		if set.Duck != nil {
			duck := set.Duck.MixerDuck(rate)
			if b.duckScene == "" || cmp.Or(cmp.Compare(duck.By, b.duck.By), cmp.Compare(duck.Release, b.duck.Release)) > 0 {
				b.duck, b.duckScene = duck, change.scene.Name
			}
		}
		for _, send := range set.Sends {
			if sends[send.To] == nil {
				if sends == nil {
					sends = map[string]*gainSum{}
				}
				sends[send.To] = &gainSum{}
			}
			sends[send.To].add(send.Gain, b.sends[send.To])
		}
		effects = effects || len(set.Effects) > 0
	}
	if gain.set {
		b.change.Gain = gain.value()
	}
	if len(sends) > 0 {
		b.sends = maps.Clone(b.sends)
		for to, gain := range sends {
			b.sends[to] = gain.value()
		}
	}
	if !effects {
		return
	}
	b.effects = maps.Clone(b.effects)
	for name, e := range b.effects {
		b.effects[name] = effectState{e.kind, maps.Clone(e.values)}
	}
	slices.SortStableFunc(changes, func(a, b sceneChange) int { return cmp.Compare(b.scene.Priority, a.scene.Priority) })
	for _, change := range slices.Backward(changes) { // the last one counts
		for _, move := range change.set.Effects {
			maps.Copy(b.effects[move.Effect].values, move.Values)
		}
	}
}

// gainSum is the combination of the gains that scenes give to a bus or a send.
type gainSum struct {
	set    bool
	sum    pcm.Decibels
	silent bool
}

// add adds the gain of a scene. file is the gain of the file. If the file is silent, the difference from 0 dB counts,
// because a difference from silence has no meaning. A gain of silence silences the sum.
func (g *gainSum) add(gain, file pcm.Decibels) {
	if file <= pcm.Silence {
		file = 0
	}
	switch silent := gain <= pcm.Silence; {
	case !g.set, silent && !g.silent:
		g.sum, g.silent = gain, silent
	case g.silent && silent:
		g.sum = min(g.sum, gain)
	case !g.silent:
		g.sum += gain - file
	}
	g.set = true
}

// value returns the gain that the scenes give together, within mixer.MinGain and mixer.MaxGain.
func (g *gainSum) value() pcm.Decibels { return min(max(g.sum, mixer.MinGain), mixer.MaxGain) }
