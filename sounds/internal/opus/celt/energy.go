package celt

import (
	"math"

	"voicepool/pcm"
)

// readCoarseEnergy reads the coarse energies of the bands of f, in steps of 6 dB (RFC 6716, section 4.3.2.1). They are
// coded as differences from a prediction, which uses the lower bands and the previous frame. If intra is true, it uses
// the lower bands only. readCoarseEnergy replaces the energies of the previous frame in d.energy.
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

// readFineEnergy reads the fine energies of the bands of f from the range decoder f.e, and adds them to the coarse
// energies in d.energy (RFC 6716, section 4.3.2.2). Band i has f.fine[i] bits per channel, as allocate has set them. A
// band with 0 bits stays unchanged.
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

// readFinalEnergy refines the energies in d.energy with the bits that remain in the frame f, one bit per band and
// channel (RFC 6716, section 4.3.2.2). Bands whose f.late is false come first. Bands with 8 fine bits get no further
// bit.
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

// fillCollapsed fills empty short blocks of the frame f with quiet noise, so that they do not sound like holes (RFC
// 6716, section 4.3.5). The level of the noise follows from the energies of the previous two frames. It renormalizes
// the filled bands in d.shape. It uses the seed d.rng without changing it.
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
// concealment of the following frames. After a transient frame it only lowers d.before where f has less energy. It
// resets the energies of bands outside f. It must be called once per frame, after synthesize.
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
