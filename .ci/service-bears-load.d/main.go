// Command load puts the load of many clients on `voicepool serve` and checks the results. Counters must add up,
// memory must stay flat, no goroutine may be left, and only blocks that are late without clients may be late.
// All traffic stays on loopback, and every loop has a limit in count and in time.
//
//	load -program ./voicepool -part mixed -seconds 120
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// options are the values of the flags.
type options struct {
	program string
	seconds int
	share   int // divides the number of clients
}

// part is one kind of load. It reports its checks to a judge.
type part struct {
	name string
	run  func(ctx context.Context, o *options, j *judge) error
}

var parts = []part{{"mixed", mixed}, {"rate", rate}, {"crowd", crowd}, {"hostile", hostile}, {"rooms", rooms}, {"state", kept}}

func main() {
	var o options
	only := flag.String("part", "all", "mixed, rate, crowd, hostile, rooms, state, or all; several with commas")
	flag.StringVar(&o.program, "program", "voicepool", "the program that serves")
	flag.IntVar(&o.seconds, "seconds", 60, "how long each part loads the server")
	flag.IntVar(&o.share, "share", 1, "divides the number of clients, for small machines")
	flag.Parse()
	if flag.NArg() > 0 || o.seconds < 1 || o.share < 1 {
		fmt.Fprintln(os.Stderr, "load: wrong usage; -help lists the flags")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed := 0
	for _, p := range parts {
		if *only != "all" && !strings.Contains(","+*only+",", ","+p.name+",") {
			continue
		}
		begin := time.Now()
		j := &judge{part: p.name}
		if err := p.run(ctx, &o, j); err != nil {
			j.check(false, "%v", err)
		}
		fmt.Printf("load %s: %d of %d checks held, %.0f s\n", p.name, j.held, j.held+j.failed, time.Since(begin).Seconds())
		failed += j.failed
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// judge counts and prints checks.
type judge struct {
	part         string
	held, failed int
}

// check prints a check and its result.
func (j *judge) check(ok bool, format string, args ...any) {
	word := "ok"
	if ok {
		j.held++
	} else {
		j.failed++
		word = "FAIL"
	}
	fmt.Printf("load %s: %-4s %s\n", j.part, word, fmt.Sprintf(format, args...))
}

// note prints a figure that is not checked, since speed depends on the machine.
func (j *judge) note(format string, args ...any) {
	fmt.Printf("load %s: note %s\n", j.part, fmt.Sprintf(format, args...))
}
