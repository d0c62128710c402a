package main

// unity emits the kernel that reads a sound at its own rate, or the one that also sends a share of
// what it adds to a second destination.
func unity(channels int, wide, sends bool) {
	var m *mixer
	if sends {
		m = mixing("UnitySend", channels, wide, 0, "", "send *float32, share float32, ")
		m.send, m.share = m.load("send"), m.vec()
		m.scope(func() { m.op("VDUP", m.load("share"), m.share.s4()) })
	} else {
		m = mixing("Unity", channels, wide, 0, "", "")
	}
	m.loadGains()
	m.twice(func() {
		x := m.samples(m.src, turn*channels, wide)
		for half := range 2 {
			if channels == 1 {
				m.addMono(half, x[half])
			} else {
				m.add(half, [2]vec(x[2*half:]))
			}
		}
	})
}

// samples loads so many samples as float32 and moves src on.
func (k *kernel) samples(src gp, count int, wide bool) []vec {
	if wide {
		return k.lanesOf(src, count)
	}
	x := k.vecsOf(count / 4)
	for i := 0; i < len(x); i += 2 {
		k.op("FMOVQ.P", mem(src, 16), x[i].f())
		k.widen(x[i+1], x[i], true)
		k.widen(x[i], x[i], false)
	}
	for _, x := range x {
		k.scvtf(x, x)
	}
	return x
}

// lanesOf loads so many lanes of 32 bits, eight at a time, and moves on.
func (k *kernel) lanesOf(from gp, count int) []vec {
	x := k.vecsOf(count / 4)
	for i := 0; i < len(x); i += 2 {
		k.op("FLDPQ.P", mem(from, 32), pair(x[i], x[i+1]))
	}
	return x
}
