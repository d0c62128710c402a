// Command control measures how late the machine lets it run until it gets a signal. Then it prints the longest
// lateness and the sum of all, in milliseconds.
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
