package silk

import "voicepool/sounds/internal/opus/entropy"

// The signal types.
const (
	passive = iota
	unvoiced
	voiced
)

// The coding of a frame relative to the previous one.
const (
	independent = iota
	independentUnscaled
	conditional
)

// indices are the coded parameters of a frame.
type indices struct {
	signal, offset int
	gains          [4]int
	lines          [17]int
	interpolation  int
	lag, contour   int
	periodicity    int
	ltp            [4]int
	scale          int
	seed           int32
}

// readIndices reads the coded parameters of a frame, except the pulses, from e into c.indices (RFC 6716, sections
// 4.2.7.3 to 4.2.7.7). active is the voice activity flag of the frame. coding is the kind of coding of the gains and
// the pitch, for example conditional, which refers to the previous frame. It stores the signal type and the lag for
// the next conditional frame.
func (c *channel) readIndices(e *entropy.Decoder, active bool, coding int) {
	x := &c.indices
	if active {
		kind := e.Symbol(typesActive, 8) + 2
		x.signal, x.offset = kind>>1, kind&1
	} else {
		kind := e.Symbol(typesPassive, 8)
		x.signal, x.offset = kind>>1, kind&1
	}
	if coding == conditional {
		x.gains[0] = e.Symbol(gainDelta, 8)
	} else {
		x.gains[0] = e.Symbol(gainFirst[x.signal], 8) << 3
		x.gains[0] += e.Symbol(uniform8, 8)
	}
	for i := 1; i < c.subframes; i++ {
		x.gains[i] = e.Symbol(gainDelta, 8)
	}
	book := c.book
	x.lines[0] = e.Symbol(book.choice[x.signal>>1], 8)
	for i := range book.order {
		table := book.residual[9*book.table(x.lines[0], i):][:9]
		n := e.Symbol(table, 8)
		switch n {
		case 0:
			n -= e.Symbol(extended, 8)
		case 8:
			n += e.Symbol(extended, 8)
		}
		x.lines[i+1] = n - 4
	}
	x.interpolation = 4
	if c.subframes == 4 {
		x.interpolation = e.Symbol(interpolations, 8)
	}
	if x.signal == voiced {
		c.readPitch(e, coding)
	}
	c.codedSignal = x.signal
	x.seed = int32(e.Symbol(uniform4, 8))
}

// readPitch reads the period (lag) and the filter of the pitch from e into c.indices (RFC 6716, section 4.2.7.6). If
// coding is conditional, the lag may be coded as a difference from c.codedLag, the lag of the previous frame. The new
// lag is stored in c.codedLag.
func (c *channel) readPitch(e *entropy.Decoder, coding int) {
	x, absolute := &c.indices, true
	if coding == conditional && c.codedSignal == voiced {
		if delta := e.Symbol(lagDelta, 8); delta > 0 {
			x.lag = c.codedLag + delta - 9
			absolute = false
		}
	}
	if absolute {
		low := map8(c.rate, uniform4, uniform6, uniform8)
		x.lag = e.Symbol(lagHigh, 8) * (c.rate >> 1)
		x.lag += e.Symbol(low, 8)
	}
	c.codedLag = x.lag
	table := contours
	switch {
	case c.rate == 8 && c.subframes == 4:
		table = contoursNarrow
	case c.rate == 8:
		table = contoursNarrowShort
	case c.subframes != 4:
		table = contoursShort
	}
	x.contour = e.Symbol(table, 8)
	x.periodicity = e.Symbol(periodicities, 8)
	for k := range c.subframes {
		x.ltp[k] = e.Symbol(ltpChoices[x.periodicity], 8)
	}
	x.scale = 0
	if coding == independent {
		x.scale = e.Symbol(ltpScales, 8)
	}
}

// map8 selects a value by the rate in kHz: narrow for 8, medium for 12 and wide for 16. Other rates are not valid.
func map8[T any](rate int, narrow, medium, wide T) T {
	return [...]T{narrow, medium, wide}[(rate-8)/4]
}

// readPulses reads the pulses of a frame's excitation, the input of its filters, from e (RFC 6716, section 4.2.7.8).
// It stores them with their signs in c.pulses. readIndices must have read the signal type.
func (c *channel) readPulses(e *entropy.Decoder) {
	x := &c.indices
	blocks := (c.length() + 15) / 16
	var sums, shifts [20]int
	level := e.Symbol(rateLevels[x.signal>>1], 8)
	for i := range blocks {
		sums[i] = e.Symbol(pulseCounts[level], 8)
		for sums[i] == 17 {
			shifts[i]++
			table := pulseCounts[9]
			if shifts[i] == 10 {
				table = table[1:]
			}
			sums[i] = e.Symbol(table, 8)
		}
	}
	clear(c.pulses[:])
	for i := range blocks {
		if sums[i] > 0 {
			readShell(e, c.pulses[16*i:][:16], sums[i], 3)
		}
	}
	for i := range blocks {
		block := c.pulses[16*i:][:16]
		for k := range block {
			for range shifts[i] {
				block[k] = block[k]<<1 + int32(e.Symbol([]byte{120, 0}, 8))
			}
		}
		sums[i] |= shifts[i] << 5
	}
	table := &signs[x.signal<<1+x.offset]
	for i := range blocks {
		if sums[i] == 0 {
			continue
		}
		icdf := [2]byte{table[min(sums[i]&31, 6)], 0}
		for k, p := range c.pulses[16*i:][:16] {
			if p > 0 && e.Symbol(icdf[:], 8) == 0 {
				c.pulses[16*i+k] = -p
			}
		}
	}
}

// readShell reads from e how a number of pulses, sum, is distributed to the values of block (RFC 6716, section
// 4.2.7.8.3). It halves block recursively and reads the share of the first half. level is the binary logarithm of the
// length of block, minus 1. Values without pulses are not written, so block must be 0 before.
func readShell(e *entropy.Decoder, block []int32, sum, level int) {
	if sum == 0 {
		return
	}
	if level < 0 {
		block[0] = int32(sum)
		return
	}
	first, half := e.Symbol(shells[level][sum], 8), len(block)/2
	readShell(e, block[:half], first, level-1)
	readShell(e, block[half:], sum-first, level-1)
}
