package peaq

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"voicepool/pcm"
)

// oracleRow is a row of oracle.csv: what reference programs returned for a pair of signals.
type oracleRow struct {
	id     string
	text   func(column string) string
	number func(column string) float64
}

func oracle(t *testing.T) (rows []oracleRow) {
	file, err := os.Open("../testdata/oracle.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string]int{}
	for i, name := range records[0] {
		columns[name] = i
	}
	for _, record := range records[1:] {
		text := func(column string) string { return record[columns[column]] }
		rows = append(rows, oracleRow{record[0], text, func(column string) float64 {
			x, err := strconv.ParseFloat(text(column), 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}})
	}
	return rows
}

// check compares out with the row. The outputs may differ by a thousandth, because the program rounds
// the frequencies of bands as the table of the standard does.
func (r *oracleRow) check(t *testing.T, out Outputs) {
	program := "k1_"
	if r.id == "003" || r.id == "004" {
		program = "k3_" // k1 has no frame with data in silence, and returns NaN
	}
	for column, got := range map[string]float64{
		"bw_ref": out.BandwidthRef, "bw_test": out.BandwidthTest, "total_nmr": out.TotalNMR, "win_mod_diff1": out.WinModDiff1,
		"adb": out.ADB, "ehs": out.EHS, "avg_mod_diff1": out.AvgModDiff1, "avg_mod_diff2": out.AvgModDiff2,
		"rms_noise_loud": out.RmsNoiseLoud, "mfpd": out.MFPD, "rel_dist_frames": out.RelDistFrames,
	} {
		want := r.number(program + column)
		if !(math.Abs(got-want) <= 1e-3*math.Abs(want)+1e-9) {
			t.Errorf("pair %s: %s is %.12g, want %.12g", r.id, column, got, want)
		}
	}
	if want := r.number("mms_2f_clipped"); !(math.Abs(out.Score()-want) <= 0.01) {
		t.Errorf("pair %s: the score is %v, want %v", r.id, out.Score(), want)
	}
}

// TestOracle compares the outputs with the reference program, for the pairs of WAV files in the folder
// VOICEPOOL_ORACLE_PAIRS. The script .ci/metrics-match-oracles makes them.
func TestOracle(t *testing.T) {
	folder := os.Getenv("VOICEPOOL_ORACLE_PAIRS")
	if folder == "" {
		t.Skip("VOICEPOOL_ORACLE_PAIRS is empty")
	}
	for _, row := range oracle(t) {
		channels := int(row.number("channels"))
		path := filepath.Join(folder, row.id)
		row.check(t, measure(t, channels, pair{readWAV(t, path+"_ref.wav", channels), readWAV(t, path+"_test.wav", channels)}))
	}
}

// readWAV reads the 16-bit samples of a file with a header of 44 bytes.
func readWAV(t *testing.T, path string, channels int) []pcm.Frame {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = data[44:]
	frames := make([]pcm.Frame, len(data)/2/channels)
	for i := range frames {
		for c := range channels {
			frames[i][c] = float32(int16(binary.LittleEndian.Uint16(data[2*(channels*i+c):]))) / 32768
		}
	}
	return frames
}

// TestOutputs compares the outputs for two pairs with the reference program.
func TestOutputs(t *testing.T) {
	for _, row := range oracle(t) {
		if p, ok := pairs()[row.id]; ok {
			row.check(t, measure(t, 1, p))
		}
	}
}

// TestIntermediate compares the ear model with the reference program: one frame of pair 012 by bands, and all frames
// of the pair by their differences.
func TestIntermediate(t *testing.T) {
	data, err := os.ReadFile("testdata/intermediate.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Frame, Series map[string][]float64 }
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	m := NewMeter(1)
	same := func(name string, got, want []float64) {
		t.Helper()
		for i, x := range want {
			if !(math.Abs(got[i]-x) <= 1e-3*math.Abs(x)+1e-9) {
				t.Errorf("%s: element %d is %v, want %v", name, i, got[i], x)
				return
			}
		}
		if len(want) == 0 {
			t.Errorf("%s has no elements", name)
		}
	}
	series := map[string][]float64{}
	p := pairs()["012"]
	m.Add(p.reference[:hop], p.test[:hop])
	for at := hop; at+hop <= len(p.reference); at += hop {
		m.Add(p.reference[at:at+hop], p.test[at:at+hop])
		c, f := &m.channels[0], &m.frames[0]
		undetected, steps := 1.0, 0.0
		for i, p := range c.detection {
			undetected, steps = float64(undetected*(1-p)), steps+c.steps[i]
		}
		for name, x := range map[string]float64{
			"loudness_ref": c.reference.loudness, "loudness_test": c.test.loudness, "moddiff1": f.change1, "moddiff2": f.change2,
			"moddiff_weight": f.weight, "noise_loudness": f.noiseLoudness, "bw_ref": f.bandwidth, "bw_test": f.testBandwidth,
			"nmr_avg": f.noiseToMask, "nmr_max": f.maxNoiseToMask, "pd_pc": 1 - undetected, "pd_qc": steps, "ehs_x1000": f.harmonics * 1000,
		} {
			series[name] = append(series[name], x)
		}
		if m.number == 101 {
			for name, x := range map[string][]float64{
				"hann_window_scaled_samples_0_15": m.tables.window[:], "ref_power_spectrum_bins_0_63": c.reference.power[:],
				"ref_unsmeared_excitation": c.reference.spread[:], "test_unsmeared_excitation": c.test.spread[:],
				"ref_excitation": c.reference.excitation[:], "test_excitation": c.test.excitation[:], "noise_band_energy": c.noise[:],
				"ref_adapted_pattern": c.reference.adapted[:], "test_adapted_pattern": c.test.adapted[:],
				"ref_modulation": c.reference.modulation[:], "test_modulation": c.test.modulation[:], "ref_average_loudness": c.reference.mean[:],
			} {
				same("frame 100: "+name, x, want.Frame[name])
			}
		}
	}
	for name, x := range want.Series {
		if n := len(series[name]); n < len(x) {
			t.Fatalf("%s has %d frames, want %d", name, n, len(x))
		}
		same(name, series[name], x)
	}
}
