package peaq

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"voicepool/pcm"
)

// The functions below make the sounds of the pairs 012 and 067 of oracle.csv, with the same bits as the script that made
// the pairs: every product is rounded.

const rate = 48000

// sine returns sin(2 pi c), from the polynomial of the script.
func sine(c float64) float64 {
	r := c - math.Floor(c+0.5)
	if r > 0.25 {
		r = 0.5 - r
	}
	if r < -0.25 {
		r = -0.5 - r
	}
	x := float64(r * 6.283185307179586)
	x2, s := float64(x*x), 1.0
	for k := 21; k >= 3; k -= 2 {
		s = 1 - float64(x2*s)/float64(k*(k-1))
	}
	return float64(x * s)
}

// exp2 returns 2^y, from the polynomial of the script.
func exp2(y float64) float64 {
	n := math.Floor(y + 0.5)
	f, s := float64((y-n)*0.6931471805599453), 1.0
	for k := 14; k > 0; k-- {
		s = 1 + float64(f*s)/float64(k)
	}
	n = min(max(n, -1000), 1000)
	return float64(s * math.Float64frombits(uint64(int64(n)+1023)<<52))
}

func gain(dB float64) float64 { return exp2(dB * (3.321928094887362 / 20)) }

// uniform returns n numbers of 0..1.
func uniform(seed uint64, n int) []float64 {
	u := make([]float64, n)
	for i := range u {
		z := seed*0xD1342543DE82EF95 + uint64(i+1)*0x9E3779B97F4A7C15
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		u[i] = float64((z^z>>31)>>11) / (1 << 53)
	}
	return u
}

func gauss(seed uint64, n int) []float64 {
	u, s := uniform(seed, 12*n), make([]float64, n)
	for i, x := range u {
		s[i%n] += x
	}
	for i := range s {
		s[i] -= 6
	}
	return s
}

func length(seconds float64) int { return int(seconds * rate) }

// decay returns the envelope that falls by 60 dB in t60 seconds.
func decay(i int, t60 float64) float64 { return exp2(float64(i) / rate * (-9.965784284662087 / t60)) }

// edge fades x in and out over a number of seconds.
func edge(x []float64, attack, release float64) []float64 {
	a, r := length(attack), length(release)
	for i := range a {
		x[i] = float64(x[i] * (float64(i) / float64(a)))
	}
	for i := range r {
		at := len(x) - r + i
		x[at] = float64(x[at] * (float64(r-i) / float64(r)))
	}
	return x
}

func tone(hertz, seconds, t60 float64, partials int) []float64 {
	y := make([]float64, length(seconds))
	for k := 1; k <= partials; k++ {
		for i := range y {
			part := sine(float64(float64(k)*hertz) * (float64(i) / rate))
			part = float64(part * decay(i, t60/(1+float64(0.35*float64(k-1)))))
			y[i] += part / float64(k)
		}
	}
	return edge(y, 0.004, 0.01)
}

func burst(seed uint64, seconds, t60 float64) []float64 {
	y := gauss(seed, length(seconds))
	for i := range y {
		y[i] = float64(float64(y[i]*0.5) * decay(i, t60))
	}
	return edge(y, 0.001, 0.005)
}

func chirp(from, to, seconds float64) []float64 {
	y := make([]float64, length(seconds))
	for i := range y {
		t := float64(i) / rate
		y[i] = sine(float64(from*t) + float64((to-from)/(2*seconds)*float64(t*t)))
	}
	return edge(y, 0.02, 0.05)
}

// speech returns pulses through three formants, in syllables with pauses and noisy consonants.
func speech(seed uint64, seconds float64) []float64 {
	vowels := [5][3]float64{{700, 1220, 2600}, {390, 2300, 3000}, {300, 870, 2240}, {570, 840, 2410}, {530, 1840, 2480}}
	bandwidths, amplitudes := [3]float64{80, 100, 140}, [3]float64{1, 0.6, 0.35}
	var grains [5][3][1600]float64
	for v := range vowels {
		for j, f := range vowels[v] {
			for i := range grains[v][j] {
				part := float64(sine(float64(f*(float64(i)/rate))) * decay(i, 6.9078/(3.141592653589793*bandwidths[j])))
				grains[v][j][i] = float64(part * amplitudes[j])
			}
		}
	}
	n := length(seconds)
	y := make([]float64, n+4000)
	random := uniform(seed, 4096)
	next := func() float64 {
		x := random[0]
		random = random[1:]
		return x
	}
	for at, syllable := 0, uint64(0); at < n; syllable++ {
		vowel, base, consonant := int(next()*5), 110*(0.85+float64(0.4*next())), next() < 0.4
		if consonant {
			noise := gauss(seed*977+syllable, 2400)
			for i := range noise {
				noise[i] = float64(noise[i] * 0.12)
			}
			for i, x := range edge(noise, 0.01, 0.01)[:min(2400, n-at)] {
				y[at+i] += x
			}
			at += 2400
		}
		start, end := at, at+8640
		for at < min(end, n) {
			part := float64(at-start) / 8640
			amplitude := min(1, float64(8*part)+0.1, float64(6*(1-part)))
			for j := range grains[vowel] {
				for i, x := range grains[vowel][j] {
					y[at+i] += float64(amplitude * x)
				}
			}
			at += int(rate / (base * (1.08 - float64(0.16*part))))
		}
		at = end + 1200
		if next() < 0.25 {
			at = end + 7200
		}
	}
	y = y[:n]
	for i := range y {
		y[i] = float64(y[i] * 0.6)
	}
	return edge(y, 0.002, 0.02)
}

// voice is a sound that starts at a time in seconds, with a gain in dB.
type voice struct {
	start, gain float64
	samples     []float64
}

// mix returns the sum of voices.
func mix(seconds float64, voices ...voice) []float64 {
	sum := make([]float64, length(seconds))
	for _, v := range voices {
		g, at := gain(v.gain), int(float64(v.start*rate)+0.5)
		for i, x := range v.samples[:min(len(v.samples), len(sum)-at)] {
			sum[at+i] += float64(g * x)
		}
	}
	return sum
}

// quantize returns x, multiplied by scale, in 16 bits.
func quantize(x []float64, scale float64) []pcm.Frame {
	frames := make([]pcm.Frame, len(x))
	for i, x := range x {
		v := float32(min(max(math.Floor(float64(x*scale)+0.5), -32768), 32767) / 32768)
		frames[i] = pcm.Frame{v, v}
	}
	return frames
}

// fullScale returns the factor that maps the largest magnitude of x to 20000.
func fullScale(x []float64) float64 { return 20000 / max(slices.Max(x), -slices.Min(x)) }

// pair is a pair of signals, mono in both channels.
type pair struct{ reference, test []pcm.Frame }

// pairs returns the pairs 012, a mix without its speech, and 067, noise in front of clicks.
var pairs = sync.OnceValue(func() map[string]pair {
	a := []voice{
		{0.3, -7, speech(5, 3.6)},
		{0.0, -6, tone(220, 3.5, 3, 8)}, {0.6, -9, tone(329.6276, 3, 2.5, 8)}, {1.3, -14, tone(1046.5023, 2, 1.5, 5)},
		{1.0, -8, burst(11, 0.6, 0.5)}, {2.0, -18, chirp(400, 6000, 1.2)},
	}
	// The sums are in the order of the script: speech is the last voice.
	whole := mix(4, append(slices.Clone(a[1:]), a[0])...)
	scale := fullScale(whole)
	speechless := pair{quantize(whole, scale), quantize(mix(4, a[1:]...), scale)}

	clicks := mix(3, voice{1, -4, burst(90, 0.3, 0.12)}, voice{2, -8, burst(91, 0.3, 0.12)}, voice{0.2, -20, tone(440, 2.5, 3, 8)})
	early := pair{reference: quantize(clicks, fullScale(clicks))}
	noisy := make([]float64, len(clicks))
	for i, f := range early.reference {
		noisy[i] = float64(f[0]) * 32768
	}
	for i, x := range gauss(888, 960) {
		noisy[rate-960+i] += float64(x * 600)
		noisy[2*rate-960+i] += float64(x * 600)
	}
	early.test = quantize(noisy, 1)
	return map[string]pair{"012": speechless, "067": early}
})

// checksum returns the SHA-256 of the WAV file of a mono signal, as in oracle.csv.
func checksum(frames []pcm.Frame) string {
	data := make([]byte, 0, 2*len(frames))
	for _, f := range frames {
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(f[0]*32768)))
	}
	head := []byte("RIFF")
	head = binary.LittleEndian.AppendUint32(head, uint32(36+len(data)))
	head = append(head, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...)
	head = binary.LittleEndian.AppendUint32(head, rate)
	head = binary.LittleEndian.AppendUint32(head, 2*rate)
	head = append(head, "\x02\x00\x10\x00data"...)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(data)))
	return fmt.Sprintf("%x", sha256.Sum256(append(head, data...)))
}

func TestPairs(t *testing.T) {
	for _, row := range oracle(t) {
		p, ok := pairs()[row.id]
		if ok && (checksum(p.reference) != row.text("sha256_ref") || checksum(p.test) != row.text("sha256_test")) {
			t.Errorf("the pair %s differs from the file that the reference program read", row.id)
		}
	}
}
