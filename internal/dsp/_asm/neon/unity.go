package main

// unity emits the kernel that reads a sound at its own rate. With sends, the kernel also adds a share of the
// result to a second destination.
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

// samples loads count samples as float32 and advances src.
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

// lanesOf loads count lanes of 32 bits, eight at a time, and advances from.
func (k *kernel) lanesOf(from gp, count int) []vec {
	x := k.vecsOf(count / 4)
	for i := 0; i < len(x); i += 2 {
		k.op("FLDPQ.P", mem(from, 32), pair(x[i], x[i+1]))
	}
	return x
}
