package celt

import (
	"math"

	"voicepool/pcm"
)

// readCoarseEnergy reads the coarse band energies of f, in steps of 6 dB, as differences from a prediction, and
// replaces the energies of the previous frame in d.energy by them (RFC 6716, section 4.3.2.1). intra means that the
// prediction does not use the previous frame.
func (d *Decoder) readCoarseEnergy(f *frame, intra bool) {
	carry := float64([...]int{29440, 26112, 21248, 16384}[f.lm]) / 32768
	leak := float64([...]int{30147, 22282, 12124, 6554}[f.lm]) / 32768
	model := &laplace[f.lm][0]
	if intra {
		carry, leak, model = 0, 4915.0/32768, &laplace[f.lm][1]
	}
	var before [2]float64
	for i := f.start; i < f.end; i++ {
		for c := range f.channels {
			q := 0
			switch left := 8*f.e.Len() - f.e.BitsUsed(); {
			case left >= 15:
				k := 2 * min(i, 20)
				q = f.e.Laplace(uint32(model[k])<<7, uint32(model[k+1])<<6)
			case left >= 2:
				q = f.e.Symbol([]byte{2, 1, 0}, 2)
				q = q>>1 ^ -(q & 1)
			case left >= 1:
				q = 0
				if f.e.Bit(1) {
					q = -1
				}
			default:
				q = -1
			}
			x := &d.energy[c][i]
			*x = float32(float64(carry*float64(max(-9, *x))) + before[c] + float64(q))
			before[c] += float64(q) - float64(leak*float64(q))
		}
	}
}

// readFineEnergy reads the fine band energies of f, f.fine[i] bits for band i, and adds them to the coarse ones in
// d.energy (RFC 6716, section 4.3.2.2).
func (d *Decoder) readFineEnergy(f *frame) {
	for i := f.start; i < f.end; i++ {
		if n := f.fine[i]; n > 0 {
			for c := range f.channels {
				q := f.e.Raw(uint(n))
				d.energy[c][i] += (float32(q)+0.5)/float32(int(1)<<n) - 0.5
			}
		}
	}
}

// readFinalEnergy uses the remaining bits of the frame f to refine energies in d.energy by one bit each: at first of
// bands whose f.late is false, then of the others.
func (d *Decoder) readFinalEnergy(f *frame) {
	left := 8*f.e.Len() - f.e.BitsUsed()
	for _, late := range [...]bool{false, true} {
		for i := f.start; i < f.end && left >= f.channels; i++ {
			if f.fine[i] >= 8 || f.late[i] != late {
				continue
			}
			for c := range f.channels {
				q := f.e.Raw(1)
				d.energy[c][i] += (float32(q) - 0.5) / float32(int(1)<<(f.fine[i]+1))
			}
			left -= f.channels
		}
	}
}

// fillCollapsed fills short blocks of f without pulses with quiet noise, by the energies of the previous two frames,
// and renormalizes their bands in d.shape (RFC 6716, section 4.3.5). It uses d.rng as the seed, but does not change
// it.
func (d *Decoder) fillCollapsed(f *frame) {
	b := &d.bands
	b.seed = d.rng
	for i := f.start; i < f.end; i++ {
		n := edges[i+1] - edges[i]
		depth := (1 + f.pulses[i]) / n >> f.lm
		most := pcm.Exp2(-0.125*float64(depth)) / 2
		root := 1 / math.Sqrt(float64(n<<f.lm))
		for c := range f.channels {
			p, q := d.before[c][i], d.earlier[c][i]
			if f.channels == 1 {
				p, q = max(p, d.before[1][i]), max(q, d.earlier[1][i])
			}
			r := 2 * pcm.Exp2(-max(0, float64(d.energy[c][i]-min(p, q))))
			if f.lm == 3 {
				r = float64(r * math.Sqrt2)
			}
			r = float64(min(most, r) * root)
			x := d.shape[c][edges[i]<<f.lm:][:n<<f.lm]
			filled := false
			for k := range 1 << f.lm {
				if b.collapsed[c][i]>>k&1 != 0 {
					continue
				}
				filled = true
				for j := range n {
					x[j<<f.lm+k] = -r
					if b.random()&0x8000 != 0 {
						x[j<<f.lm+k] = r
					}
				}
			}
			if filled {
				renormalize(x, 1)
			}
		}
	}
}

// storeEnergy stores the energies of the frame f in d.before, d.earlier and d.floor, for the prediction and the
// concealment of the following frames. It clears the energies of bands outside f. It must be called once per frame,
// after synthesize.
func (d *Decoder) storeEnergy(f *frame) {
	if f.channels == 1 {
		d.energy[1] = d.energy[0]
	}
	if f.transient {
		for c := range d.before {
			for i := range d.before[c] {
				d.before[c][i] = min(d.before[c][i], d.energy[c][i])
			}
		}
	} else {
		d.earlier, d.before = d.before, d.energy
		rise := float32(int(1)<<f.lm) * 0.001
		if d.lost >= 10 {
			rise = 1
		}
		for c := range d.floor {
			for i := range d.floor[c] {
				d.floor[c][i] = min(d.floor[c][i]+rise, d.energy[c][i])
			}
		}
	}
	for c := range d.energy {
		for i := range bandCount {
			if i < f.start || i >= f.end {
				d.energy[c][i], d.before[c][i], d.earlier[c][i] = 0, silence, silence
			}
		}
	}
}
