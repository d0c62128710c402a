package console

import (
	"os"
	"os/signal"
)

// Hangups returns a channel that receives a value for each SIGHUP, also if the signal was ignored before. Signals that
// arrive before the caller has received the previous value may be merged. The function stop ends the delivery. It must
// be called once and does not close the channel.
func Hangups() (signaled <-chan struct{}, stop func()) {
	signals, out, done := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	NotifyHangups(signals)
	go func() {
		for {
			select {
			case <-signals:
			case <-done:
				return
			}
			select {
			case out <- struct{}{}:
			case <-done:
				return
			}
		}
	}()
	return out, func() {
		signal.Stop(signals)
		close(done)
	}
}
