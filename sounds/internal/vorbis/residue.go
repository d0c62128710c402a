package vorbis

import (
	"slices"

	"voicepool/sounds/internal/source"
)

// readResidues decodes the spectra of all channels, half long.
func (v *decoder) readResidues(r *source.LSB, m *mapping, half int) {
	var silent [8]bool
	for ch := range v.channels {
		silent[ch] = v.curve[ch] == nil
	}
	for _, c := range m.coupling { // of a coupled pair both are there, or none
		if !silent[c.magnitude] || !silent[c.angle] {
			silent[c.magnitude], silent[c.angle] = false, false
		}
	}
	for s, x := range m.residues {
		var spectra [8][]float64
		var skip [8]bool
		n := 0
		for ch := range v.channels {
			if m.submap[ch] == s {
				spectra[n], skip[n] = v.spectrum[ch], silent[ch]
				n++
			}
		}
		if x.kind == 2 {
			v.readInterleaved(r, x, spectra[:n], skip[:n], half)
		} else {
			v.readSeparate(r, x, spectra[:n], skip[:n], half)
		}
	}
}

// readInterleaved decodes channels that are kept as one, sample by sample.
func (v *decoder) readInterleaved(r *source.LSB, x *residue, spectra [][]float64, skip []bool, half int) {
	if !slices.Contains(skip, false) {
		return
	}
	channels := len(spectra)
	v.walk(r, x, 1, half*channels, func(int) bool { return false }, func(_, at int, b *book) bool {
		ch, i := at%channels, at/channels
		for n := 0; n < x.partition; n += b.dimensions {
			vector := b.vector(r)
			if vector == nil {
				return false
			}
			for _, y := range vector {
				spectra[ch][i] += float64(y)
				if ch++; ch == channels {
					ch, i = 0, i+1
				}
			}
		}
		return true
	})
}

// readSeparate decodes channels one beside the other.
func (v *decoder) readSeparate(r *source.LSB, x *residue, spectra [][]float64, skip []bool, half int) {
	v.walk(r, x, len(spectra), half, func(ch int) bool { return skip[ch] }, func(ch, at int, b *book) bool {
		part := spectra[ch][at : at+x.partition]
		steps := x.partition / b.dimensions
		for n := range steps {
			vector := b.vector(r)
			if vector == nil {
				return false
			}
			for d, y := range vector {
				if x.kind == 0 {
					part[n+d*steps] += float64(y)
				} else {
					part[n*b.dimensions+d] += float64(y)
				}
			}
		}
		return true
	})
}

// walk goes over the partitions of a residue in the order in which they are
// kept: eight passes, in each the classes (first pass only) and then the
// vectors of all channels, partition by partition. It ends where the packet
// does.
func (v *decoder) walk(r *source.LSB, x *residue, channels, length int, skip func(ch int) bool, read func(ch, at int, b *book) bool) {
	begin, end := min(x.begin, length), min(x.end, length)
	parts := (end - begin) / x.partition
	if parts == 0 {
		return
	}
	width := x.classbook.dimensions
	stride := parts + width
	if need := channels * stride; cap(v.classes) < need {
		v.classes = make([]int, need)
	}
	classes := v.classes[:channels*stride]
	for pass := range 8 {
		for part := 0; part < parts; {
			for ch := 0; ch < channels && pass == 0; ch++ {
				if skip(ch) {
					continue
				}
				word, ok := x.classbook.scalar(r)
				if !ok {
					return
				}
				for i := width - 1; i >= 0; i-- {
					classes[ch*stride+part+i] = word % x.classifications
					word /= x.classifications
				}
			}
			for range width {
				if part == parts {
					break
				}
				for ch := range channels {
					if skip(ch) {
						continue
					}
					b := x.books[classes[ch*stride+part]][pass]
					if b != nil && !read(ch, begin+part*x.partition, b) {
						return
					}
				}
				part++
			}
		}
	}
}
