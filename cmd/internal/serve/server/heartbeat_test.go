package server

import (
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/room"
)

// TestBeat checks that a room has a heartbeat while it plays, sleeps or is paused, with and without
// a card.
func TestBeat(t *testing.T) {
	for _, device := range []string{"none", "null"} {
		t.Run(device, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := room.Open(t.Context(), room.Options{Name: "main", Device: device, Text: []byte("sounds: {bell: {}}")})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close(0)
				b := &heartbeat{}
				for _, do := range []string{"", "play bell", "pause", "resume", "panic"} {
					if do != "" {
						if err := r.Show().Do(do); err != nil {
							t.Fatal(err)
						}
					}
					for range 3 {
						time.Sleep(2500 * time.Millisecond)
						if !b.progressed([]*room.Room{r}) {
							t.Errorf("it stands still after %q", do)
						}
					}
				}
			})
		})
	}
}
