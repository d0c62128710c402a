package codecs

import (
	"fmt"
	"math"
	"os"
)

// way is the coding of a channel of an Opus file, as far as it explains differences between decoders.
type way struct {
	speech bool // partly SILK, or SILK and CELT
	paired bool // partly two-channel CELT in frames that may have four short blocks or more
}

// waysOf reads the coding of each channel from the first bytes of a file's packets.
func waysOf(path string) ([]way, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var packets [][]byte
	var part []byte
	for len(data) >= 27 {
		lacing := data[27:][:data[26]]
		data = data[27+len(lacing):]
		for _, n := range lacing {
			part, data = append(part, data[:n]...), data[n:]
			if n < 255 {
				packets, part = append(packets, part), nil
			}
		}
	}
	head := packets[0]
	streams, coupled, mapping := 1, int(head[9])-1, []byte{0, 1}
	if head[18] != 0 {
		streams, coupled, mapping = int(head[19]), int(head[20]), head[21:]
	}
	byStream := make([]way, streams)
	for _, p := range packets[2:] {
		for i := range byStream {
			kind := p[0] >> 3
			byStream[i].speech = byStream[i].speech || kind < 16
			byStream[i].paired = byStream[i].paired || kind >= 16 && kind&3 >= 2 && p[0]&4 != 0
			if i < streams-1 {
				p = p[delimited(p):]
			}
		}
	}
	ways := make([]way, head[9])
	order := []int{0, 1}
	if len(ways) == 6 {
		order = []int{0, 2, 1, 5, 3, 4}
	}
	for c := range ways {
		n := int(mapping[order[c]])
		if n < 2*coupled {
			ways[c] = byStream[n/2]
		} else {
			ways[c] = byStream[n-coupled]
		}
	}
	return ways, nil
}

// delimited returns the length of the self-delimiting packet at the beginning of b (RFC 6716, appendix B).
func delimited(b []byte) int {
	code, at := b[0]&3, 1
	size := func() int {
		n := int(b[at])
		at++
		if n >= 252 {
			n += 4 * int(b[at])
			at++
		}
		return n
	}
	count, sum := []int{1, 2, 1, 0}[code], 0
	if code == 2 {
		sum = size()
	}
	if code == 3 {
		m := b[at]
		at++
		count = int(m & 63)
		for more := m&0x40 != 0; more; at++ {
			more = b[at] == 255
			sum += min(int(b[at]), 254)
		}
		if m&0x80 != 0 {
			for range count - 1 {
				sum += size()
			}
			count = 1
		}
	}
	n := size() * count
	return at + sum + n
}

// Bounds for channels with known differences of ffmpeg; .ci/codecs-match-other-decoders explains them. The
// comments are the worst values of the grid.
const (
	speechCoherence = 0.995 // 0.9962
	speechLevel     = 0.2   // dB; 0.165
	speechRatio     = 12    // dB; 12.8
	pairedRatio     = 25    // dB; 27.1
	pairedEqual     = 0.3   // share of a file before its first short blocks; 0.31
)

// judgeWays compares each channel of an Opus file according to its coding.
func (o *oracle) judgeWays(x *file, samples []float32) (v verdict) {
	ours, n := x.clip.Samples, x.clip.Channels
	if len(ours) != len(samples) {
		return compare(ours, samples, n, o.tolerance)
	}
	ways, err := waysOf(x.path)
	if err != nil {
		return verdict{wrong: err.Error()}
	}
	for c, w := range ways {
		got, want := channelOf(ours, c, n), channelOf(samples, c, n)
		equal, wrong := len(want), ""
		if w.speech {
			equal, v.partly = 0, "speech, which ffmpeg resamples with other phases"
			alike, level := coherence(got, want)
			if r := ratio(got, want); !(alike >= speechCoherence && math.Abs(level) <= speechLevel && r >= speechRatio) {
				wrong = fmt.Sprintf("coherence %.4f, level %.3f dB, difference of %.1f dB", alike, level, -r)
			}
		} else if w.paired {
			equal = int(pairedEqual * float64(equal))
			v.partly = "short blocks of two channels, which ffmpeg fills with other noise"
			if r := ratio(got, want); !(r >= pairedRatio) {
				wrong = fmt.Sprintf("difference of %.1f dB", -r)
			}
		}
		if equal > 0 {
			part := compare(got[:equal], want[:equal], 1, o.tolerance)
			v.difference = max(v.difference, part.difference)
			if n == 6 && c == 3 && part.difference <= o.tolerance {
				part.wrong = "" // low frequencies are almost silent
			}
			if wrong == "" {
				wrong = part.wrong
			}
		}
		if wrong != "" {
			v.wrong = fmt.Sprintf("channel %d (%+v): %s", c, w, wrong)
		}
	}
	return v
}

func channelOf(x []float32, c, channels int) []float32 {
	out := make([]float32, len(x)/channels)
	for i := range out {
		out[i] = x[i*channels+c]
	}
	return out
}

// ratio returns the level of the sound relative to the difference in dB.
func ratio(ours, want []float32) float64 {
	signal, rest := 0.0, 0.0
	for i, x := range want {
		d := float64(ours[i]) - float64(x)
		signal, rest = signal+float64(x)*float64(x), rest+d*d
	}
	return 10 * math.Log10(signal/rest)
}

// qualityOf is quality for any number of channels; for more than two, the quality of the worst.
func qualityOf(ours, want []float32, channels int) float64 {
	if channels <= 2 {
		return quality(ours, want, channels)
	}
	worst := 100.0
	for c := range channels {
		worst = min(worst, quality(channelOf(ours, c, channels), channelOf(want, c, channels), 1))
	}
	return worst
}
