package vorbis

import "voicepool/sounds/internal/source"

// readResidues decodes the residues of all channels, the fine structure of the spectra, from r into v.spectrum. m is
// the mapping of the packet. Each channel gets half values, the half of the block size; they must be 0 before. A
// channel without a floor (v.curve) stays 0, with two exceptions: it is coupled with a channel that has a floor, or its
// residue is of kind 2, which codes several channels as one.
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

// readResidue decodes one residue x from r (Vorbis I, section 8.6.2) and adds it to spectra. Eight passes refine the
// values. The first pass also reads the classes of the partitions, which select the codebooks. If the packet ends
// early, the rest stays as it is. It uses v.classes as scratch space. spectra must not be empty.
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

// add reads the vectors of one partition from r with the codebook b and adds them to part, the partition of a
// spectrum. It returns false at the end of the packet or for an invalid code word; part may then be changed.
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
