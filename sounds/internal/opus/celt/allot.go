package celt

// frame is the part of a frame that is read before the band shapes.
type frame struct {
	header
	coded     int // number of bands with bits
	intensity int // the first band with intensity stereo
	dual      bool
	balance   int // unused bits, in eighths
	caps      [bandCount]int
	boosts    [bandCount]int
	pulses    [bandCount]int // eighths of bits for the shape
	fine      [bandCount]int // bits for the energy
	late      [bandCount]bool
}

// allocate divides the bits of the frame f among its bands, exactly as the encoder has done, and reads the stereo
// parameters (RFC 6716, section 4.3.3). total is the number of bits in eighths; a negative one counts as 0. The
// parameter trim is the tilt of the allocation between low and high bands, 0..10, as the method trim returns it.
// allocate sets pulses, fine, late, coded, intensity, dual and balance of f.
func (f *frame) allocate(total, trim int) {
	total = max(total, 0)
	skip, shared, dual := 0, 0, 0 // reserved bits
	if total >= 8 {
		skip = 8
	}
	total -= skip
	if f.channels == 2 {
		if shared = logFrac[f.end-f.start]; shared > total {
			shared = 0
		} else {
			total -= shared
			if total >= 8 {
				dual = 8
			}
			total -= dual
		}
	}
	var least, tilt, low, more [bandCount]int
	for j := f.start; j < f.end; j++ {
		n := edges[j+1] - edges[j]
		least[j] = max(f.channels<<3, 3*n<<f.lm<<3>>4)
		tilt[j] = f.channels * n * (trim - 5 - f.lm) * (f.end - j - 1) * (1 << (f.lm + 3)) >> 6
		if n<<f.lm == 1 {
			tilt[j] -= f.channels << 3
		}
	}
	share := func(row, j int) int {
		x := f.channels * (edges[j+1] - edges[j]) * int(allocations[row*bandCount+j]) << f.lm >> 2
		if x > 0 {
			x = max(0, x+tilt[j])
		}
		return x
	}
	from, to := 1, 10
	for from <= to {
		mid := (from + to) >> 1
		if f.sum(&least, func(j int) int { return share(mid, j) + f.boosts[j] }) > total {
			to = mid - 1
		} else {
			from = mid + 1
		}
	}
	from, to = from-1, from
	first := f.start // bands up to it are never skipped
	for j := f.start; j < f.end; j++ {
		low[j] = share(from, j)
		upper := f.caps[j]
		if to < 11 {
			upper = share(to, j)
		} else if upper > 0 {
			upper = max(0, upper+tilt[j])
		}
		if from > 0 {
			low[j] += f.boosts[j]
		}
		upper += f.boosts[j]
		if f.boosts[j] > 0 {
			first = j
		}
		more[j] = max(0, upper-low[j])
	}
	f.interpolate(&low, &more, &least, total, first, [3]int{skip, shared, dual})
}

// sum returns the eighths of a bit that all bands of f would use together. share returns the share of band j, which
// counts up to f.caps[j]. The highest bands with less than their minimum, least[j], do not get their share: each uses
// one bit per channel, or 0 if its share is less. This ends at the first band, from the top, that reaches its
// minimum.
func (f *frame) sum(least *[bandCount]int, share func(j int) int) (sum int) {
	done := false
	for j := f.end - 1; j >= f.start; j-- {
		x := share(j)
		if x >= least[j] || done {
			done = true
			sum += min(x, f.caps[j])
		} else if x >= f.channels<<3 {
			sum += f.channels << 3
		}
	}
	return sum
}

// interpolate finds the largest allocation between base and base + more that fits in total, and sets f.pulses. All
// are in eighths of a bit, per band. least is the minimum of each band.
//
// It also reads the end of the coded bands, f.coded, and the stereo parameters from the frame. Bands up to number
// first are always coded. reserved has the bits set aside for these parameters: skip flags, intensity and dual
// stereo. At the end it calls refine.
func (f *frame) interpolate(base, more, least *[bandCount]int, total, first int, reserved [3]int) {
	floor := f.channels << 3
	low, high := 0, 64
	for range 6 {
		mid := (low + high) >> 1
		if f.sum(least, func(j int) int { return base[j] + mid*more[j]>>6 }) > total {
			high = mid
		} else {
			low = mid
		}
	}
	sum, done := 0, false
	for j := f.end - 1; j >= f.start; j-- {
		x := base[j] + low*more[j]>>6
		switch {
		case x >= least[j] || done:
			done = true
		case x >= floor:
			x = floor
		default:
			x = 0
		}
		f.pulses[j] = min(x, f.caps[j])
		sum += f.pulses[j]
	}
	skip, shared, dual := reserved[0], reserved[1], reserved[2]
	for f.coded = f.end; ; f.coded-- {
		j := f.coded - 1
		if j <= first {
			total += skip
			break
		}
		all := edges[f.coded] - edges[f.start]
		left := total - sum
		each := left / all
		left -= each * all
		have := f.pulses[j] + each*(edges[f.coded]-edges[j]) + max(left-(edges[j]-edges[f.start]), 0)
		if have >= max(least[j], floor+8) {
			if f.e.Bit(1) {
				break
			}
			sum += 8
			have -= 8
		}
		sum -= f.pulses[j] + shared
		if shared > 0 {
			shared = logFrac[j-f.start]
		}
		sum += shared
		f.pulses[j] = 0
		if have >= floor {
			sum += floor
			f.pulses[j] = floor
		}
	}
	f.intensity, f.dual = 0, false
	if shared > 0 {
		f.intensity = f.start + int(f.e.Uniform(uint32(f.coded+1-f.start)))
	}
	if f.intensity <= f.start {
		total += dual
		dual = 0
	}
	if dual > 0 {
		f.dual = f.e.Bit(1)
	}
	all := edges[f.coded] - edges[f.start]
	left := total - sum
	each := left / all
	left -= each * all
	for j := f.start; j < f.coded; j++ {
		n := edges[j+1] - edges[j]
		extra := min(left, n)
		f.pulses[j] += each*n + extra
		left -= extra
	}
	f.refine()
}

// refine splits the allocation of each band in f.pulses into two parts. f.fine becomes the number of bits for the
// fine energy, and f.pulses the eighths of a bit for the shape. It also sets f.late: such bands get leftover bits
// last. Bits that a band cannot use pass to the next band, and after the last one to f.balance.
func (f *frame) refine() {
	stereo := uint(f.channels - 1)
	f.balance = 0
	for j := f.start; j < f.coded; j++ {
		n := (edges[j+1] - edges[j]) << f.lm
		bits := f.pulses[j] + f.balance
		excess := 0
		if n > 1 {
			excess = max(bits-f.caps[j], 0)
			bits -= excess
			den := f.channels * n
			if f.channels == 2 && n > 2 && !f.dual && j < f.intensity {
				den++
			}
			log := den * (logN[j] + f.lm<<3)
			offset := log>>1 - den*21
			if n == 2 {
				offset += den << 3 >> 2
			}
			if bits+offset < den*2<<3 {
				offset += log >> 2
			} else if bits+offset < den*3<<3 {
				offset += log >> 3
			}
			fine := max(0, bits+offset+den<<2) / den >> 3
			if f.channels*fine > bits>>3 {
				fine = bits >> stereo >> 3
			}
			fine = min(fine, 8)
			f.late[j] = fine*(den<<3) >= bits+offset
			f.fine[j] = fine
			bits -= f.channels * fine << 3
		} else {
			excess = max(0, bits-f.channels<<3)
			bits -= excess
			f.fine[j], f.late[j] = 0, true
		}
		if excess > 0 {
			fine := min(excess>>(stereo+3), 8-f.fine[j])
			f.fine[j] += fine
			extra := fine * f.channels << 3
			f.late[j] = extra >= excess-f.balance
			excess -= extra
		}
		f.pulses[j], f.balance = bits, excess
	}
	for j := f.coded; j < f.end; j++ {
		f.fine[j] = f.pulses[j] >> stereo >> 3
		f.pulses[j] = 0
		f.late[j] = f.fine[j] < 1
	}
}
