// Command control measures how late the machine schedules it, until it gets a signal. Then it prints the
// largest delay and the sum of all delays, in milliseconds.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"voicepool/internal/lateness"
)

func main() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	began, control := time.Now(), lateness.Start()
	<-ended
	now := time.Now()
	fmt.Println(control.Worst(began, now).Milliseconds(), control.Lost(began, now).Milliseconds())
}
