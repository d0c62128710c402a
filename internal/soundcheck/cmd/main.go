// Command cmd compares a recording with its reference, both WAV files:
//
//	go run ./internal/soundcheck/cmd [-tolerance X] REFERENCE RECORDING
//
// or finds one file in another, and measures how loud it is there:
//
//	go run ./internal/soundcheck/cmd -at FRAME -level DB -residual DB PIECE MIX
//
// It prints what it found. The exit code is 0 if every frame of the reference is there,
// in order, without a gap; 3 if every frame is there, in order, with gaps between; 1 if
// frames are missing or differ; 2 for wrong usage.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"

	"voicepool/internal/soundcheck"
	"voicepool/pcm"
)

func main() {
	tolerance := flag.Float64("tolerance", 0, "largest `difference` between equal samples, full scale being 1")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: soundcheck [-tolerance X] REFERENCE RECORDING")
		flag.PrintDefaults()
	}
	at := flag.Int("at", -1, "instead: PIECE must begin at this `frame` of MIX")
	level := flag.Float64("level", 0, "with -at: and be louder by so many `dB`, within 0.05")
	residual := flag.Float64("residual", -40, "with -at: and leave no more than so many `dB` beside it")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if *at >= 0 {
		if err := place(flag.Arg(0), flag.Arg(1), *at, *level, *residual); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	r, err := check(flag.Arg(0), flag.Arg(1), *tolerance)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case r.Whole():
	case r.Complete():
		os.Exit(3)
	default:
		os.Exit(1)
	}
}

// read reads two files of one rate.
func read(a, b string) (x, y []pcm.Frame, err error) {
	x, rateX, err := soundcheck.Read(a)
	if err != nil {
		return nil, nil, err
	}
	y, rateY, err := soundcheck.Read(b)
	if err == nil && rateX != rateY {
		err = fmt.Errorf("soundcheck: %s has %d frames per second, %s has %d", a, rateX, b, rateY)
	}
	return x, y, err
}

func place(piece, mix string, at int, level, residual float64) error {
	p, m, err := read(piece, mix)
	if err != nil {
		return err
	}
	got, err := soundcheck.Place(m, p, at)
	if err != nil {
		return fmt.Errorf("%s: %w", piece, err)
	}
	fmt.Printf("%s: lag %d frames, level %+.4f dB, residual %.1f dB\n", piece, got.Lag, got.Level, got.Residual)
	if got.Lag != 0 || math.Abs(got.Level-level) > 0.05 || got.Residual > residual {
		return fmt.Errorf("%s: %w", piece, soundcheck.ErrPlace)
	}
	return nil
}

func check(reference, recording string, tolerance float64) (r soundcheck.Result, err error) {
	ref, rec, err := read(reference, recording)
	if err != nil {
		return r, err
	}
	r, err = soundcheck.Compare(ref, rec, tolerance)
	if err == nil {
		fmt.Printf("%d frames in %d recorded: %v\n", len(ref), len(rec), r)
	}
	return r, err
}
