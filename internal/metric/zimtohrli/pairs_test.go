package zimtohrli

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"voicepool/sounds"
)

// A pairFigures is a row of oracle.csv: the figures of a pair of signals.
type pairFigures struct {
	id, sumReference, sumTest string
	channels                  int
	distance, mos             float64
	exact                     float64 // distance of the program, compiled for float64
}

// readOracle returns the rows of oracle.csv by their id.
func readOracle(t *testing.T) map[string]pairFigures {
	file, err := os.Open("../testdata/oracle.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	pairs := map[string]pairFigures{}
	for _, row := range rows[1:] {
		text := func(column string) string { return row[slices.Index(rows[0], column)] }
		number := func(column string) float64 {
			x, err := strconv.ParseFloat(text(column), 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		pairs[text("id")] = pairFigures{text("id"), text("sha256_ref"), text("sha256_test"), int(number("channels")), number("zimt_distance"), number("zimt_mos"), number("zimt_distance_f64")}
	}
	return pairs
}

// check compares the distance of a pair with its row.
func (p *pairFigures) check(t *testing.T, reference, test sounds.Samples) {
	t.Helper()
	got, err := Distance(reference, test)
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(got-p.distance) <= 1e-6 && math.Abs(got-p.exact) <= 1e-9) {
		t.Errorf("pair %s: distance %.12f, want %.9f, and %.12f in float64", p.id, got, p.distance, p.exact)
	}
	if mos := MOS(got); !(math.Abs(mos-p.mos) <= 2e-4) {
		t.Errorf("pair %s: MOS %.6f, want %.6f", p.id, mos, p.mos)
	}
}

// TestOracle compares the distances of all pairs with the original program. VOICEPOOL_ORACLE_PAIRS is the folder of
// their WAV files, which the script .ci/metrics-match-oracles makes.
func TestOracle(t *testing.T) {
	folder := os.Getenv("VOICEPOOL_ORACLE_PAIRS")
	if folder == "" {
		t.Skip("VOICEPOOL_ORACLE_PAIRS names no folder")
	}
	pairs := readOracle(t)
	if len(pairs) != 45 {
		t.Errorf("%d pairs, want 45", len(pairs))
	}
	for _, p := range pairs {
		read := func(suffix string) sounds.Samples {
			data, err := os.ReadFile(filepath.Join(folder, p.id+suffix))
			if err != nil {
				t.Fatal(err)
			}
			const header = 44 // bytes
			s := sounds.Samples{Rate: Rate, Channels: p.channels, Data: make([]float32, (len(data)-header)/2)}
			for i := range s.Data {
				s.Data[i] = float32(int16(binary.LittleEndian.Uint16(data[header+2*i:]))) / 32768
			}
			return s
		}
		p.check(t, read("_ref.wav"), read("_test.wav"))
	}
}

// The functions below compute some of the pairs of make_pairs.py, in its order of operations.

func sin2pi(c float64) float64 {
	r := c - math.Floor(c+0.5)
	if r > 0.25 {
		r = 0.5 - r
	}
	if r < -0.25 {
		r = -0.5 - r
	}
	x := r * 6.283185307179586
	x2, s := float64(x*x), 1.0
	for k := 21.0; k >= 3; k -= 2 {
		s = 1 - float64(x2*s)/(k*(k-1))
	}
	return x * s
}

func exp2(y float64) float64 {
	n := math.Floor(y + 0.5)
	f, s := (y-n)*0.6931471805599453, 1.0
	for k := 14.0; k >= 1; k-- {
		s = 1 + float64(f*s)/k
	}
	return math.Ldexp(s, int(n))
}

func gain(db float64) float64 { return exp2(db * (3.321928094887362 / 20)) }

// noise returns n numbers with nearly normal distribution: each a sum of 12 uniform ones from splitmix64, minus 6.
func noise(seed uint64, n int) []float64 {
	x := make([]float64, n)
	for k := range 12 {
		for i := range x {
			z := seed*0xD1342543DE82EF95 + uint64(k*n+i+1)*0x9E3779B97F4A7C15
			z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
			z = (z ^ z>>27) * 0x94D049BB133111EB
			x[i] += float64(float64((z^z>>31)>>11) / (1 << 53))
		}
	}
	for i := range x {
		x[i] -= 6
	}
	return x
}

// voice returns n samples of at, with linear fades of some frames at both ends.
func voice(n, attack, release int, at func(i int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = at(i)
		if i < attack {
			x[i] *= float64(i) / float64(attack)
		}
		if i >= n-release {
			x[i] *= float64(n-i) / float64(release)
		}
	}
	return x
}

func decay(t, seconds float64) float64 { return exp2(t * (-9.965784284662087 / seconds)) }

func burst(seed uint64) []float64 {
	x := noise(seed, 0.3*Rate)
	return voice(len(x), 48, 240, func(i int) float64 { return x[i] * 0.5 * decay(float64(i)/Rate, 0.12) })
}

func tone() []float64 {
	return voice(2.5*Rate, 192, 480, func(i int) float64 {
		t, y := float64(i)/Rate, 0.0
		for k := 1.0; k <= 8; k++ {
			y += float64(sin2pi(k*440*t) * decay(t, 3/(1+0.35*(k-1))) / k)
		}
		return y
	})
}

// samples16 returns the samples x as integers of 16 bits, times a factor.
func samples16(x []float64, factor float64) sounds.Samples {
	s := sounds.Samples{Rate: Rate, Channels: 1, Data: make([]float32, len(x))}
	for i, v := range x {
		s.Data[i] = float32(min(max(math.Floor(float64(v*factor)+0.5), -32768), 32767) / 32768)
	}
	return s
}

// preEcho returns pair 067: two clicks and a tone, and the same with 20 ms of noise before each click.
func preEcho() (reference, test sounds.Samples) {
	x := make([]float64, 3*Rate)
	for _, v := range []struct {
		start   int
		gain    float64
		samples []float64
	}{{Rate, gain(-4), burst(90)}, {2 * Rate, gain(-8), burst(91)}, {0.2 * Rate, gain(-20), tone()}} {
		for i, y := range v.samples {
			x[v.start+i] += float64(v.gain * y)
		}
	}
	peak := 0.0
	for _, y := range x {
		peak = max(peak, math.Abs(y))
	}
	reference = samples16(x, 20000/peak)
	for i, y := range reference.Data {
		x[i] = float64(y) * 32768
	}
	for i, y := range noise(888, 960) {
		x[Rate-960+i] += float64(y * 600)
		x[2*Rate-960+i] += float64(y * 600)
	}
	return reference, samples16(x, 1)
}

// sines returns pair 072: a sine of 1 kHz at full scale, and at -3 dB.
func sines() (reference, test sounds.Samples) {
	x := make([]float64, 3*Rate)
	for i := range x {
		x[i] = sin2pi(1000 * (float64(i) / Rate))
	}
	return samples16(x, 32767), samples16(x, 32767*gain(-3))
}

// TestPairs compares the distances of two pairs with the original program.
func TestPairs(t *testing.T) {
	pairs := readOracle(t)
	for id, make := range map[string]func() (reference, test sounds.Samples){"067": preEcho, "072": sines} {
		p := pairs[id]
		reference, test := make()
		for want, s := range map[string]sounds.Samples{p.sumReference: reference, p.sumTest: test} {
			size := uint32(2 * len(s.Data))
			wav := binary.LittleEndian.AppendUint32([]byte("RIFF"), 36+size)
			wav = append(wav, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\xbb\x00\x00\x00\x77\x01\x00\x02\x00\x10\x00data"...)
			wav = binary.LittleEndian.AppendUint32(wav, size)
			for _, x := range s.Data {
				wav = binary.LittleEndian.AppendUint16(wav, uint16(int16(x*32768)))
			}
			if sum := sha256.Sum256(wav); hex.EncodeToString(sum[:]) != want {
				t.Fatalf("pair %s: another signal than in oracle.csv", id)
			}
		}
		p.check(t, reference, test)
	}
}
