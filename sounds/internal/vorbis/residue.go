package vorbis

import "voicepool/sounds/internal/source"

// readResidues decodes the residues of all channels from r into v.spectrum, half values each, which must be 0 before.
// m is the mapping of the packet. Channels without a floor (v.curve) stay 0, unless they are coupled with another
// channel.
func (v *decoder) readResidues(r *source.LSB, m *mapping, half int) {
	var silent [8]bool
	for ch := range v.channels {
		silent[ch] = v.curve[ch] == nil
	}
	for _, c := range m.coupling { // if one channel of a coupled pair is coded, both are
		if !silent[c.magnitude] || !silent[c.angle] {
			silent[c.magnitude], silent[c.angle] = false, false
		}
	}
	for s, x := range m.residues {
		var spectra [8][]float64
		n, heard := 0, false
		for ch := range v.channels {
			if m.submap[ch] != s {
				continue
			}
			heard = heard || !silent[ch]
			if !silent[ch] || x.kind == 2 {
				spectra[n] = v.spectrum[ch]
				n++
			}
		}
		switch {
		case !heard:
		case x.kind == 2: // channels interleaved as one
			woven := [1][]float64{v.interleaved[:n*half]}
			clear(woven[0])
			v.readResidue(r, x, woven[:])
			for ch, spectrum := range spectra[:n] {
				for i := range spectrum {
					spectrum[i] = woven[0][i*n+ch]
				}
			}
		default:
			v.readResidue(r, x, spectra[:n])
		}
	}
}

// readResidue decodes the residue x from r (Vorbis I, section 8.6.2) and adds it to spectra, in its stored order:
// eight passes. Each pass reads the classes (first pass only) and then the vectors of all spectra, partition by
// partition. At the end of the packet it stops. It uses v.classes as scratch space.
func (v *decoder) readResidue(r *source.LSB, x *residue, spectra [][]float64) {
	length := len(spectra[0])
	begin, end := min(x.begin, length), min(x.end, length)
	parts := (end - begin) / x.partition
	if parts == 0 {
		return
	}
	width := x.classbook.dimensions
	stride := parts + width
	if need := len(spectra) * stride; cap(v.classes) < need {
		v.classes = make([]int, need)
	}
	classes := v.classes[:len(spectra)*stride]
	for pass := range 8 {
		for part := 0; part < parts; {
			for ch := 0; ch < len(spectra) && pass == 0; ch++ {
				word, ok := x.classbook.decodeEntry(r)
				if !ok {
					return
				}
				for i := width - 1; i >= 0; i-- {
					classes[ch*stride+part+i] = word % x.classifications
					word /= x.classifications
				}
			}
			for last := min(part+width, parts); part < last; part++ {
				for ch, spectrum := range spectra {
					b := x.books[classes[ch*stride+part]][pass]
					at := begin + part*x.partition
					if b != nil && !x.add(spectrum[at:at+x.partition], b, r) {
						return
					}
				}
			}
		}
	}
}

// add reads the vectors of a partition from r with the codebook b and adds them to part, which is the partition of
// one spectrum. It returns false at the end of the packet or for an invalid word; part may then be changed.
func (x *residue) add(part []float64, b *book, r *source.LSB) bool {
	if x.kind != 0 {
		return b.addVectors(part, r)
	}
	steps := x.partition / b.dimensions
	for n := range steps { // the numbers of a vector are interleaved
		entry, ok := b.decodeEntry(r)
		if !ok {
			return false
		}
		for d, y := range b.values[entry*b.dimensions:][:b.dimensions] {
			part[n+d*steps] += float64(y)
		}
	}
	return true
}
