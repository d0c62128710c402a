// Command reverbs compares reverbs and prints a table in Markdown. The script .ci/reverb-holds-its-figures
// builds the reverbs.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"voicepool/effect"
	"voicepool/internal/acoustics"
	"voicepool/pcm"
)

const (
	rate    = 48000
	length  = 3 * rate // of a response, in frames
	seconds = 1.8      // the requested reverberation time of all reverbs, at all frequencies
	slice   = time.Millisecond
	runs    = 200 // the fastest counts, since a busy machine disturbs some of them
	rounds  = 5   // the reverbs take turns in them
)

var octaves = []float64{250, 500, 1000, 2000, 4000}

// reverb is a column of the table: its responses to an impulse in the center, left and right, and its least
// time in nanoseconds per frame.
type reverb struct {
	title     string
	responses [3][2][]float64
	ns        float64
	without   float64 // the part of ns without the reverb itself
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: reverbs FOLDER")
		os.Exit(2)
	}
	if err := compare(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "reverbs:", err)
		os.Exit(1)
	}
}

// compare measures all reverbs, prints the table, and returns an error if ours misses a goal.
func compare(folder string) error {
	all := []*reverb{{title: "voicepool", ns: math.Inf(1)}, {title: "OpenAL Soft", ns: math.Inf(1), without: math.Inf(1)}, {title: "Freeverb", ns: math.Inf(1)}, {title: "Freeverb, undamped", ns: math.Inf(1)}}
	for range rounds {
		if err := all[0].ours(); err != nil {
			return err
		}
		for i, name := range []string{"openal", "freeverb", "undamped"} {
			if err := all[1+i].other(folder, name); err != nil {
				return err
			}
		}
	}
	fmt.Print(table(all))
	return judge(all)
}

// ours measures the reverb of this module.
func (r *reverb) ours() error {
	e, err := effect.New("reverb", effect.Values{"time": seconds, "low": 1, "high": 1})
	if err != nil {
		return err
	}
	block := make([]pcm.Frame, 512)
	for i, impulse := range []pcm.Frame{{1, 1}, {1, 0}, {0, 1}} {
		p := e.NewProcessor(rate, len(block))
		r.responses[i] = [2][]float64{}
		for at := 0; at < length; at += len(block) {
			clear(block)
			if at == 0 {
				block[0] = impulse
			}
			p.Process(block, nil, int64(at))
			for _, x := range block {
				for c := range x {
					r.responses[i][c] = append(r.responses[i][c], float64(x[c]))
				}
			}
		}
	}
	p, frame, in, x := e.NewProcessor(rate, len(block)), int64(0), make([]pcm.Frame, len(block)), uint32(1)
	for i := range in {
		for c := range in[i] {
			x = x*1664525 + 1013904223
			in[i][c] = float32(int32(x)) / (1 << 34)
		}
	}
	for range runs {
		begin, frames := time.Now(), 0
		for frames == 0 || time.Since(begin) < slice {
			copy(block, in)
			p.Process(block, nil, frame)
			frame, frames = frame+int64(len(block)), frames+len(block)
		}
		r.ns = min(r.ns, float64(time.Since(begin).Nanoseconds())/float64(frames))
	}
	return nil
}

// other measures a reverb in C.
func (r *reverb) other(folder, name string) error {
	file := filepath.Join(folder, name+".f32")
	out, err := exec.Command(filepath.Join(folder, "reverbs"), name, fmt.Sprint(seconds), strconv.FormatInt(slice.Milliseconds(), 10), file).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return fmt.Errorf("%s: %w: %s", name, err, exit.Stderr)
		}
		return err
	}
	var told struct {
		Ns, Without float64
		Version     string
	}
	if err := json.Unmarshal(out, &told); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if i := strings.LastIndexByte(told.Version, ' '); i > 0 {
		r.title = "OpenAL Soft " + told.Version[i+1:]
	}
	r.ns, r.without = min(r.ns, told.Ns), min(r.without, told.Without)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	samples := make([]float32, 3*length*2)
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, samples); err != nil {
		return err
	}
	for i := range r.responses {
		for c := range 2 {
			one := make([]float64, length)
			for k := range one {
				one[k] = float64(samples[(i*length+k)*2+c])
			}
			r.responses[i][c] = one
		}
	}
	return nil
}

// sides returns all responses, one per output channel.
func (r *reverb) sides() (all [][]float64) {
	for i := range r.responses {
		all = append(all, r.responses[i][0], r.responses[i][1])
	}
	return all
}

// decays returns the reverberation time of each octave.
func (r *reverb) decays() (all []float64) {
	for _, hertz := range octaves {
		all = append(all, acoustics.Decay(r.sides(), hertz, rate))
	}
	return all
}

// dense returns the times in milliseconds at which the two channels become as dense as noise.
func (r *reverb) dense() [2]float64 {
	return [2]float64{1000 * acoustics.Dense(r.responses[0][0], rate), 1000 * acoustics.Dense(r.responses[0][1], rate)}
}

func (r *reverb) correlation() float64 {
	var left, right []float64
	for i := range r.responses {
		left, right = append(left, r.responses[i][0]...), append(right, r.responses[i][1]...)
	}
	return acoustics.Correlation(left, right)
}

// ringing returns the ratio of spectral peaks to the mean, averaged over all responses.
func (r *reverb) ringing() float64 {
	sum := 0.0
	for _, x := range r.sides() {
		sum += acoustics.Ringing(x, rate)
	}
	return sum / float64(len(r.sides()))
}

// table returns the figures in Markdown.
func table(all []*reverb) string {
	var b strings.Builder
	line := func(what string, cell func(r *reverb) string) {
		b.WriteString("| " + what)
		for _, r := range all {
			b.WriteString(" | " + cell(r))
		}
		b.WriteString(" |\n")
	}
	line("", func(r *reverb) string { return r.title })
	b.WriteString("|---" + strings.Repeat("|---", len(all)) + "|\n")
	line("decay at 250, 500, 1,000, 2,000, 4,000 Hz, of 1.8 s", func(r *reverb) string {
		var each []string
		for _, d := range r.decays() {
			each = append(each, fmt.Sprintf("%.2f", d))
		}
		return strings.Join(each, ", ") + " s"
	})
	line("as dense as noise, left and right, after", func(r *reverb) string {
		d := r.dense()
		if math.IsInf(max(d[0], d[1]), 1) {
			return "never"
		}
		return fmt.Sprintf("%.0f, %.0f ms", d[0], d[1])
	})
	line("correlation of left and right, either way", func(r *reverb) string { return fmt.Sprintf("%.2f", math.Abs(r.correlation())) })
	line("ringing: the late spectrum's peak over its mean", func(r *reverb) string { return fmt.Sprintf("%.1f dB", r.ringing()) })
	line("time a frame", func(r *reverb) string { return fmt.Sprintf("%.0f ns", r.ns-r.without) })
	return b.String()
}

// judge checks that the others are reverbs, and that ours meets the design and rings the least. Speed is
// reported, not checked.
func judge(all []*reverb) error {
	for _, r := range all {
		for i, d := range r.decays() {
			if allowed := map[bool]float64{true: 0.05, false: 0.5}[r == all[0]]; !(math.Abs(d/seconds-1) <= allowed) {
				return fmt.Errorf("%s: the octave of %v Hz decays in %.2f s", r.title, octaves[i], d)
			}
		}
	}
	ours := all[0]
	if d := ours.dense(); max(d[0], d[1]) > 80 {
		return fmt.Errorf("it is as dense as noise after %.0f ms", d)
	}
	if c := ours.correlation(); math.Abs(c) > 0.15 {
		return fmt.Errorf("left and right correlate by %.2f", c)
	}
	for _, r := range all[1:] {
		if ours.ringing() > r.ringing() {
			return fmt.Errorf("it rings by %.1f dB, %s by %.1f dB", ours.ringing(), r.title, r.ringing())
		}
	}
	return nil
}
