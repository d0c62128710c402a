// Command audit walks the call graph of the mixer's audio side: everything that
// (*mixer.Mixer).Render can reach. It fails at a package that is not on its list (fmt,
// log, time, os, reflect, io, syscall, sync and most others are not). It also fails at a
// channel, a map, a go statement, a function value that may come from outside, and a value
// that the compiler puts on the heap.
//
//	audit [-tags LIST] [-v] [FOLDER of the module]
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	tags := flag.String("tags", "", "build tags, with commas")
	verbose := flag.Bool("v", false, "print every function that is walked")
	flag.Parse()
	folder := "."
	if flag.NArg() > 0 {
		folder = flag.Arg(0)
	}
	p, err := load(folder, *tags, nil, "./mixer", "./voice", "./internal/dsp", "./internal/ring", "./pool")
	if err == nil {
		err = audit(p, folder, *tags, *verbose)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
}

// audit prints what is found in the mixer; an error says how much that was.
func audit(p *program, folder, tags string, verbose bool) error {
	root, err := p.method("voicepool/mixer", "Mixer", "Render")
	if err != nil {
		return err
	}
	w := walk(p, root, mixerRules)
	if verbose {
		for _, name := range w.names() {
			fmt.Println(name)
		}
	}
	heap, err := escapes(folder, tags, "./mixer", "voicepool/...")
	if err != nil {
		return err
	}
	w.heap(heap)
	for _, f := range w.findings {
		fmt.Println(f)
	}
	fmt.Printf("%d functions walked from Render, %d of them without a body in Go; packages: %s\n", len(w.seen), w.bodiless, strings.Join(w.packages(), " "))
	for _, name := range w.exceptions() {
		fmt.Println("allowed:", name)
	}
	if n := len(w.findings); n > 0 {
		return fmt.Errorf("%d things that have no place on the audio side", n)
	}
	return nil
}
