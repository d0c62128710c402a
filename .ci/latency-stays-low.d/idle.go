package main

import (
	"fmt"
	"log"
	"syscall"
	"time"

	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/device/null"
	"voicepool/mixer"
)

// idle prints the CPU usage of an idle mixer over ten seconds, with the named driver or with auto.
func idle(name string, buffer time.Duration) {
	m, err := mixer.New(mixer.Config{Rate: rate})
	if err != nil {
		log.Fatal(err)
	}
	var out device.Device
	switch name {
	case "auto":
		out = auto.Open(m, auto.Config{Buffer: buffer})
	case "null":
		out = null.NewPaced(null.Config{Rate: rate, Block: 512})
	default:
		if out, err = card(name, buffer); err != nil {
			log.Fatal(err)
		}
	}
	if name != "auto" {
		if err := out.Start(m); err != nil {
			log.Fatal(err)
		}
	}
	defer out.Close()
	time.Sleep(3 * time.Second) // until it is idle
	const measured = 10 * time.Second
	before, from := processor(), m.Now()
	time.Sleep(measured)
	used, frames := processor()-before, m.Now()-from
	fmt.Printf("| %s | %v | %.3f %% | %d |\n", name, buffer, 100*used.Seconds()/measured.Seconds(), frames)
}

// processor returns the CPU time of this process.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
